"""The work of judges that is done in the background."""

from campaigns import jobs
from judges.drafts import KIND, draft_criteria_of

jobs.register(KIND, draft_criteria_of)

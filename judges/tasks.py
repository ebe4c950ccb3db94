"""The work of judges that is done in the background."""

from campaigns import jobs
from judges.drafts import KIND, draft_criteria_of
from judges.feature_jobs import KIND as EXTRACT_FEATURES
from judges.feature_jobs import extract_features_of

jobs.register(KIND, draft_criteria_of)
jobs.register(EXTRACT_FEATURES, extract_features_of)

"""The work of judges that is done in the background."""

from campaigns import jobs
from judges import identity_scans, metric_scores
from judges.drafts import KIND, draft_criteria_of

jobs.register(KIND, draft_criteria_of)
jobs.register(metric_scores.KIND, metric_scores.run_metrics)
jobs.register(identity_scans.KIND, identity_scans.run_scan)

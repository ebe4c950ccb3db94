"""The judges that need no key, over one campaign: what the demo starts."""

from accounts.models import User
from campaigns.models import Campaign
from judges.definitions.judges import make_judge
from judges.kinds import KINDS
from judges.models import Run
from judges.runs.lifecycle import Plan, start_run

#: In the order in which they are started; the last to be started stands on top.
OFFLINE = ("random", "longest", "loudest", "fastest", "trace_rules", "dnsmos")


def start_offline_judges(campaign: Campaign, *, user: User, plan: Plan | None = None) -> list[Run]:
    """A run of each that fits the campaign's protocol and has none yet. Raises CannotRun."""
    started = []
    for name in OFFLINE:
        kind = KINDS[name]
        if kind.fits(campaign.protocol, {}):
            continue
        judge = make_judge(kind, title=kind.title, settings={}, language_model=None, user=user)
        if not Run.objects.filter(campaign=campaign, judge=judge).exists():
            started.append(start_run(campaign, judge, plan=plan or Plan(), user=user))
    return started

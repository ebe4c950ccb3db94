"""A worker in a process of its own, to be killed: works at all worker slots until all runs are done.

The lease is that of its first argument, in seconds, so that a test need not wait for a minute.
"""

import os
import sys
import time
from datetime import timedelta

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
django.setup()

from django.db import OperationalError  # noqa: E402 - it needs the apps, which are there by now

from infrastructure.background import queues  # noqa: E402
from judges.kinds import KINDS  # noqa: E402
from judges.language_models.calls import limits  # noqa: E402
from judges.models import ACTIVE, Run  # noqa: E402
from judges.runs import worker, worker_slots  # noqa: E402
from judges.tasks import pick_up_runs_task  # noqa: E402
from tests.judges.running import ASKER  # noqa: E402


def main(lease_s: float) -> None:
    KINDS[ASKER.name] = ASKER  # type: ignore[index]
    queues.LEASE = limits.LEASE = timedelta(seconds=lease_s)
    queues.current_app.send_task = lambda *_args, **_options: None
    while Run.objects.filter(status__in=ACTIVE).exists():
        try:
            for pk in list(worker_slots.slots_to_work().values_list("pk", flat=True)):
                worker.work_in_slot(pk, slice_s=3.0)
            pick_up_runs_task()
        except OperationalError as error:  # a lock that was not had in time; the clock would come again
            print(error, file=sys.stderr)  # noqa: T201
        time.sleep(0.1)


if __name__ == "__main__":
    main(float(sys.argv[1]))

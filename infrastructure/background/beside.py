"""Jobs that wait for other servers, in threads of their own: a slow server holds up no other job.

The worker of the embedded mode has few threads. What finds no thread free here is sent again as a lost message is.
"""

import threading
from uuid import UUID

from django.db import connections

from infrastructure.background.jobs import run_job, waits_for_servers

#: So many at a time.
MOST = 2
_free = threading.BoundedSemaphore(MOST)


def run_beside(job_id: UUID) -> bool:
    """Whether the job is of that sort; it is then done in another thread, now or when it is sent again."""
    if not waits_for_servers(job_id):
        return False
    if _free.acquire(blocking=False):
        threading.Thread(target=_run, args=(job_id,), name="beside", daemon=True).start()
    return True


def _run(job_id: UUID) -> None:
    try:
        run_job(job_id)
    finally:
        _free.release()
        connections.close_all()

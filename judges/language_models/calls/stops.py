"""What ends a run, or a worker's turn at one of its verdicts, from within that verdict."""

from infrastructure.wording.reasons import Reason, Reasoned


class RunStopped(Reasoned):
    """No more calls are allowed. The reason says why and what to do, for the user who started the run."""

    def __init__(self, reason: Reason, *, status: str, cause: str) -> None:
        super().__init__(reason)
        self.status, self.cause = status, cause


class Postponed(Exception):
    """The turn was over before the server was well: the verdict stays to do, and that it was tried counts."""

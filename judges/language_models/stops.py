"""What ends a run, or a worker's turn at one of its verdicts, from within that verdict."""


class RunStopped(Exception):
    """No call may be made any more. The message says why and what to do, for whoever started the run."""

    def __init__(self, message: str, *, status: str, cause: str) -> None:
        super().__init__(message)
        self.status, self.cause = status, cause


class Postponed(Exception):
    """The turn was over before the server was well: the verdict stays to do, and that it was tried counts."""

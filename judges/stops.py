"""What ends a run from within one of its verdicts."""


class RunStopped(Exception):
    """No call may be made any more. The message says why and what to do, for whoever started the run."""

    def __init__(self, message: str, *, status: str, cause: str) -> None:
        super().__init__(message)
        self.status, self.cause = status, cause

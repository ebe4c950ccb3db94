"""Why a verdict has no answer, and what to do about it."""

from collections.abc import Sequence

from infrastructure.wording.reasons import Reason, ReasonCode
from judges import reasons
from judges.backends.contract import JudgeError, JudgeOutput
from judges.models import Cause, Verdict

#: Statuses of HTTP.
KEY_STATUSES, NOT_FOUND = {401, 403}, 404
#: By these words servers say that a reply ended at the limit of tokens.
CUT_OFF = ("length", "max_tokens")
#: Asking again does not mend these; a few in a row are enough.
PERMANENT = (Cause.KEY, Cause.NOT_FOUND, Cause.REJECTED)
_ADVICE: dict[str, ReasonCode] = {
    Cause.EMPTY: reasons.EMPTY,
    Cause.CUT_OFF: reasons.CUT_OFF,
    Cause.UNREADABLE: reasons.UNREADABLE,
    Cause.REFUSED: reasons.REFUSED,
}
_ADVICE_AFTER: dict[str, ReasonCode] = {
    Cause.KEY: reasons.KEY_REFUSED,
    Cause.NOT_FOUND: reasons.NOT_THERE,
    Cause.REJECTED: reasons.REJECTED,
    Cause.UNAVAILABLE: reasons.UNAVAILABLE,
}


def cause_of(status: str, replies: Sequence[JudgeOutput], failure: JudgeError | None) -> str:
    """The cause of a verdict of this status; empty where it has an answer."""
    if status in Verdict.READ:
        return ""
    if status == Verdict.Status.REFUSED:
        return Cause.REFUSED
    if status == Verdict.Status.ERROR:
        return _of_failure(failure) if failure else Cause.NOT_ASKED
    if any(reply.finish_reason in CUT_OFF for reply in replies):
        return Cause.CUT_OFF
    if replies and not any(reply.raw.strip() for reply in replies):
        return Cause.EMPTY
    return Cause.UNREADABLE


def advice(cause: str, reason: Reason | None) -> Reason:
    """What is wrong and what to do, in a sentence or two; `reason` is that of a verdict with this cause."""
    if code := _ADVICE.get(cause):
        return code()
    reason = reason or reasons.WITHOUT_REASON()
    if after := _ADVICE_AFTER.get(cause):
        return after(last=reason if reason.endswith((".", "!", "?")) else reasons.SENTENCE(text=reason))
    return reason


def _of_failure(failure: JudgeError) -> str:
    if failure.status in KEY_STATUSES:
        return Cause.KEY
    if failure.status == NOT_FOUND:
        return Cause.NOT_FOUND
    if not failure.permanent:
        return Cause.UNAVAILABLE
    return Cause.REJECTED if failure.status else Cause.NOT_ASKED

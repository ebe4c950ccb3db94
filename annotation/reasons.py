"""Why an answer, or a report of listening, cannot be taken: one code for each, with its English text."""

from infrastructure.wording.reasons import ReasonCode

NOT_OPEN = ReasonCode("not_open", "This campaign is not open at the moment.")
BEING_REVIEWED = ReasonCode("being_reviewed", "Your answers are being reviewed before you continue.")
ALREADY_ANSWERED = ReasonCode("already_answered", "You have already answered this one. Here is the next.")
OPEN_TOO_LONG = ReasonCode(
    "open_too_long", "This unit was given to another annotator, because it was open for too long."
)
CLOSED_MEANWHILE = ReasonCode("closed_meanwhile", "This campaign was closed, so this answer could not be taken.")
PAUSED_OR_CLOSED = ReasonCode(
    "paused_or_closed", "This campaign was paused or closed, so this answer could not be taken."
)
ANSWERS_ARE_FINAL = ReasonCode("answers_are_final", "Answers are final here, because feedback follows each.")
NOTHING_ANSWERED = ReasonCode("nothing_answered", "You have not answered anything here yet.")
NO_LISTENING_REPORT = ReasonCode("no_listening_report", "This is no report of listening.")
TOO_MANY_REPORTS = ReasonCode("too_many_reports", "These are too many reports of listening at once.")
NO_SUCH_CLIP = ReasonCode("no_such_clip", "There is no clip %(clip)s here.")
MORE_THAN_TIME = ReasonCode("more_than_time", "More was reported as played than time has passed.")
TOO_MANY_PARTS = ReasonCode("too_many_parts", "These are too many separate parts of a clip.")
FIRST_STANDS = ReasonCode("first_stands", "Your first answer to the one before had arrived after all, and stands.")
FIRST_MAY_BE_OPENED = ReasonCode(
    "first_may_be_opened",
    "Your first answer to the one before had arrived after all, and stands. “Change my last answer” opens it again.",
)
DECIDING = ReasonCode("deciding", "Deciding about answers")
STILL_DECIDING = ReasonCode("still_deciding", "This is still being done. It can be undone when it is through.")

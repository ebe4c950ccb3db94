"""Why an answer is none of those that a protocol takes: one code for each, with its English text. Pure."""

from infrastructure.wording.reasons import ReasonCode

QUESTION_NOT_ASKED = ReasonCode("question_not_asked", "%(name)s is not asked here.")
NOT_ASKED_AFTER = ReasonCode("not_asked_after", "%(title)s: this is not asked after those answers.")
PLEASE_ANSWER = ReasonCode("please_answer", "%(title)s: please answer “%(question)s”")
CHOOSE_ANOTHER = ReasonCode("choose_another", "%(title)s: choose another than for %(other)s.")
NOT_A_CHOICE = ReasonCode("not_a_choice", "%(title)s: %(value)s is not one of the choices.")
ANSWER_TOO_LONG = ReasonCode("answer_too_long", "%(title)s: at most %(n)s characters.")
ANSWER_NOT_KEPT = ReasonCode("answer_not_kept", "%(title)s: the text holds characters that cannot be kept.")
FLAG_NOT_KEPT = ReasonCode("flag_not_kept", "Flag: at most %(n)s characters, and none that cannot be kept.")
MARK_OUTSIDE = ReasonCode("mark_outside", "A marked defect lies outside its clip, or is none.")
CONFIDENCE_NOT_A_CHOICE = ReasonCode("confidence_not_a_choice", "Confidence: %(value)s is not one of the choices.")
NO_POINT = ReasonCode("no_point", "%(title)s: %(value)s is no whole number from %(low)s to %(high)s.")

"""What an export leaves out, and why there is none: one code for each, with its English text."""

from infrastructure.wording.reasons import ReasonCode

NAMES_HIDDEN = ReasonCode(
    "names_hidden", "The names of the systems are hidden until the campaign closes, and exports name them."
)
NO_SUCH_SHAPE = ReasonCode("no_such_shape", "Choose formats that the answers of this campaign have the shape for.")
CHECKS = ReasonCode("answers_to_checks", "answers to checks, for which this shape has no place")
NO_WORD = ReasonCode("answers_without_word", "answers other than 1, 2 and ties, for which this shape has no word")
NO_FILE = ReasonCode("clips_gone", "clips whose file is not there any more")
TIES = ReasonCode("nothing_preferred", "ties, of which nothing was preferred")
WORDLESS = ReasonCode(
    "pairs_without_words", "pairs of which a prompt or a response is sound alone: its text in the file is empty"
)
UNREAD = ReasonCode("verdicts_without_answer", "verdicts without an answer")

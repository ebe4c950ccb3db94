"""Why a signal is undefined about an annotator, and what it counted: one code each, with its English text. Pure."""

from infrastructure.wording.reasons import ReasonCode

NOBODY_ON_SAME_UNITS = ReasonCode("nobody_on_same_units", "nobody else has answered the same units")
ALWAYS_THE_SAME = ReasonCode("always_the_same", "everybody always gives the same answer")
FEW_IN_COMMON = ReasonCode("few_in_common", "fewer than three annotators have units in common")
HARDLY_ABOVE_CHANCE = ReasonCode(
    "hardly_above_chance", "people agree hardly more than by chance, so nobody stands out"
)
FEW_OTHERS = ReasonCode("few_others", "fewer than two others have answered")
NOT_TWO_ANSWERS = ReasonCode("not_two_answers", "there are not two answers yet")
NOBODY_ELSE_ANSWERED = ReasonCode("nobody_else_answered", "nobody else has answered")
NO_ANSWER_YET = ReasonCode("no_answer_yet", "there is no answer yet")
NO_TIMES = ReasonCode("no_times", "there is no answer whose time and sound are known")
NO_REASON_WRITTEN = ReasonCode("no_reason_written", "no reason was written")
NO_SIDE_NAMED = ReasonCode("no_side_named", "no answer names one of two sides")
NO_REPEAT = ReasonCode("no_repeat", "no unit has been answered twice")
NO_CHECK = ReasonCode("no_check", "no check has been answered")
NONE_OF_THESE_CHECKS = ReasonCode("none_of_these_checks", "none of these checks has been answered")
NO_ADDRESS_NOTED = ReasonCode("no_address_noted", "the network address of no answer was noted")
NO_PAIR_OF_SYSTEMS = ReasonCode("no_pair_of_systems", "no answer says which of two systems is better")
NO_LISTENING = ReasonCode("no_listening", "no answer came with a report of listening")

# What was counted
BAD_OF = ReasonCode("bad_of", "%(bad)s of %(n)s")
OTHER_OF = ReasonCode("other_of", "%(other)s of %(n)s, κ %(kappa)s")
KAPPA_BESIDE_USUAL = ReasonCode("kappa_beside_usual", "κ %(own)s, usual %(usual)s")
STREAK = ReasonCode("streak", "%(n)s times the same by now, longest run %(longest)s")
FAVOURITE = ReasonCode("favourite", "%(value)s in %(share)s %%, longest run %(longest)s, %(bits)s bits")
SIDES_CHOSEN = ReasonCode("sides_chosen", "1 chosen %(first)s times, 2 chosen %(second)s times")
TOOK_FOR = ReasonCode(
    "took_for", "%(took)s of %(n)s votes for one system, where the others let one expect %(expected)s"
)
TOOK_AGAINST = ReasonCode(
    "took_against", "%(took)s of %(n)s votes against one system, where the others let one expect %(expected)s"
)

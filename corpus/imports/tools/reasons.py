"""What a tool's file was recognised as, and what of it is lost."""

from infrastructure.wording.reasons import ReasonCode

COLUMNS_LOST = ReasonCode("tool_columns_lost", "Columns that are not kept: %(columns)s.")
LMARENA = ReasonCode("tool_lmarena", "LMArena battles: %(n)s battles of %(systems)s systems")
MT_BENCH = ReasonCode("tool_mt_bench", "MT-Bench judgments: %(n)s judgments of %(systems)s systems")
VOTED_AGAIN = ReasonCode(
    "tool_voted_again", "%(n)s votes of the same rater on the same pair and turn come again: the first counts."
)
BATTLES_WITHOUT_OUTCOME = ReasonCode(
    "tool_battles_without_outcome", "%(n)s battles have no outcome that is known: they bring no answer, and no tie."
)
BATTLES_WITHOUT_WORDS = ReasonCode(
    "tool_battles_without_words", "The battles have no conversations: items and systems come in by their names alone."
)
OTHER_ROLES = ReasonCode(
    "tool_other_roles", "%(n)s messages are neither of the user nor of an assistant, and are left out."
)
OTHER_PARTS = ReasonCode("tool_other_parts", "%(n)s parts of messages are no text (%(kinds)s), and are left out.")
PROMPTS_OF_SIDES_DIFFER = ReasonCode(
    "tool_prompts_of_sides_differ",
    "In %(n)s battles the two sides were asked different things: what side a was asked is kept.",
)
BOTH_GOOD_IS_TIE = ReasonCode(
    "tool_both_good_is_tie", "Battles have one word for ties: where both were good, the answer is a tie."
)
ARENA_VOTES = ReasonCode(
    "tool_arena_votes",
    "Votes of an arena: %(n)s votes of %(voters)s voters on %(systems)s systems, of which %(left_out)s are left out",
)
LABEL_STUDIO = ReasonCode(
    "tool_label_studio",
    "Label Studio export: %(tasks)s tasks, %(annotators)s annotators, %(annotations)s annotations",
)
ANNOTATIONS_CANCELLED = ReasonCode("tool_cancelled", "%(n)s annotations were cancelled, and are left out.")
REGIONS = ReasonCode(
    "tool_regions", "%(n)s marks in the sound or the text (%(kinds)s) have no place in a table of answers."
)
SEVERAL_CHOICES = ReasonCode("tool_several_choices", "%(n)s answers are several choices, which come in as one word.")
PREDICTIONS = ReasonCode("tool_predictions", "%(n)s predictions of models are left out.")
POTATO = ReasonCode(
    "tool_potato", "Potato answers: %(annotations)s annotations of %(items)s items by %(annotators)s annotators"
)
POTATO_NAMES_ITEMS = ReasonCode(
    "tool_potato_names_items",
    "Potato's answers name items by their ids alone: the items come in by the project's data file, and the answers "
    "then go to the only pair, or the only response, of each.",
)

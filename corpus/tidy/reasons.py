"""Why a cell of a table of answers cannot be read: one code for each, with its English text. Pure."""

from infrastructure.wording.reasons import ReasonCode

IS_NOT_A_NUMBER = ReasonCode("is_not_a_number", "%(name)s is not a number")
NO_WHOLE_NUMBER = ReasonCode("no_whole_number", "%(text)s is no whole number from %(least)s to %(most)s.")
TO_BE_NUMBER = ReasonCode("to_be_number", "%(value)s is to be a number")
NOT_BETWEEN = ReasonCode("not_between", "%(value)s does not lie between %(least)s and %(most)s")
TO_BE_TEXT = ReasonCode("to_be_text", "%(value)s is to be a text")
TEXT_HAS_TOO_MANY = ReasonCode("text_has_too_many", "%(value)s… has %(n)s characters; at most %(most)s are kept")
TEXT_HOLDS_NUL = ReasonCode("text_holds_nul", "a text holds a NUL character")
NO_OFFSET = ReasonCode("no_offset", "it has no offset")
NAME_STANDS_TWICE = ReasonCode("name_stands_twice", "a name stands twice in it")
CELL_EMPTY = ReasonCode("cell_empty", "The cell %(column)s is empty.")
CELL_TOO_LONG = ReasonCode(
    "cell_too_long",
    "The cell %(column)s has %(n)s characters; at most %(most)s are kept.",
)
NONE_OF = ReasonCode("none_of", "%(text)s is none of %(known)s.")
NO_TRUTH = ReasonCode("no_truth", "%(text)s is neither True nor False.")
TEXT_HOLDS_HALF = ReasonCode("text_holds_half", "a text holds half a surrogate pair")
NO_TIME = ReasonCode("no_time", "%(text)s is no time with its offset, like 2026-01-31T12:00:00+00:00.")
CELL_NO_JSON = ReasonCode("cell_no_json", "The cell %(column)s cannot be read as JSON: %(why)s.")
KIND_WITHOUT_SLOTS = ReasonCode("kind_without_slots", "A unit of kind %(kind)s cannot have the slots %(slots)s.")
ORDER_OF_SLOTS = ReasonCode("order_of_slots", "The order %(order)s does not name every slot once.")
SHOWN_NOT_RECORDED = ReasonCode("shown_not_recorded", "There is shown_at, and no recorded_at.")
NO_CODE = ReasonCode("no_code", "%(text)s is not a word of at most 12 small letters.")
EXCLUDED_BY_MISSING = ReasonCode("excluded_by_missing", "Of excluded and excluded_by, only one is there.")
BY_ASPECT = ReasonCode("by_aspect", 'it is to be an object by aspect, as in {"overall": ["a"]}')
NO_SUCH_SLOT = ReasonCode("no_such_slot", "The unit has no slot %(slot)s.")
ACCEPTABILITY_OF_BOTH = ReasonCode(
    "acceptability_of_both",
    "Acceptability is said of both responses of a pair, or of neither.",
)
SECONDS_DIFFER = ReasonCode("seconds_differ", "The seconds are not those from shown_at to recorded_at.")
PLAYS_DIFFER = ReasonCode("plays_differ", "The clips of plays are not those of coverage.")
BY_SLOT = ReasonCode("by_slot", 'it is to be an object by slot, as in {"a": "…"}')
BY_CLIP = ReasonCode("by_clip", 'it is to be an object by clip, as in {"a-1": 1}')
TO_BE_WHOLE = ReasonCode("to_be_whole", "%(value)s is to be a whole number")
TO_BE_MARKS = ReasonCode("to_be_marks", "it is to be a list of marks")
MARK_HAS = ReasonCode("mark_has", "a mark has %(names)s, and nothing else")
NO_SLOT = ReasonCode("no_slot", "there is no slot %(slot)s")
NO_TURN = ReasonCode("no_turn", "there is no turn %(turn)s")
SLOTS_DIFFER = ReasonCode("slots_differ", "The slots of responses are not those of systems.")
SYSTEM_DIFFERS = ReasonCode("system_differs", "%(text)s is not what systems and slot say.")
NO_NUMBER = ReasonCode("no_number", "%(text)s is no number from %(least)s to %(most)s.")
NO_NUMBER_POINT = ReasonCode("no_number_point", "%(text)s is no number from %(least)s to %(most)s. %(point)s")

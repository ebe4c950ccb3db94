"""Why a mapping of columns cannot be followed, and what of a foreign table is left out."""

from infrastructure.wording.reasons import ReasonCode

MAPPING_SHAPE = ReasonCode(
    "mapping_shape", "A mapping is an object with shape (one of %(shapes)s) and columns, an object by column."
)
MAPPING_TOO_LARGE = ReasonCode("mapping_too_large", "The mapping names too many columns or values.")
MAPPING_COLUMN = ReasonCode(
    "mapping_column",
    "What the column %(column)s becomes cannot be read: an object with becomes, and name, rater, system, order, "
    "values and others where they are needed.",
)
MAPPING_ONLY = ReasonCode(
    "mapping_only", "In a mapping, only is an object: by column, the values that rows have to be read."
)
MAPPING_FIXED = ReasonCode(
    "mapping_fixed", "In a mapping, fixed is an object with what holds for the whole table: any of %(known)s."
)
MAPPING_RATERS = ReasonCode("mapping_raters", "In a mapping, raters is one of these: %(known)s.")
RATERS_UNDER_PSEUDONYMS = ReasonCode(
    "raters_under_pseudonyms",
    "Raters come in under pseudonyms, made of what the file calls them, which is not kept. A mapping can keep it.",
)
RATERS_AS_IN_FILE = ReasonCode(
    "raters_as_in_file", "Raters are called as in the file, as the mapping says. These names stand in exports."
)
FIXED_NOT_IN_SHAPE = ReasonCode(
    "fixed_not_in_shape", "For a whole table of %(shape)s there is no %(becomes)s. Leave it out."
)
SCORES_NEED_BOTH = ReasonCode(
    "scores_need_both",
    "%(column)s is the score of one response. Choose the column with the other's, of the same rater and question.",
)
VERDICTS_NEED_JUDGE = ReasonCode(
    "verdicts_need_judge",
    "Say which judge it was: by a column, beside each column of verdicts, or for the whole table.",
)
ROWS_REPEATED = ReasonCode(
    "rows_repeated", "%(n)s rows are about pairs that earlier rows made, and say the same of them. Each is made once."
)
NOT_OF_DATASET = ReasonCode(
    "not_of_dataset", "This is a mapping of verdicts. Verdicts are imported into a campaign, not into a dataset."
)
NOT_OF_VERDICTS = ReasonCode(
    "not_of_verdicts", "This mapping is of a table of %(shape)s. Verdicts need one whose shape is verdicts."
)
NOT_MAPPED = ReasonCode("not_mapped", "The file is read without a mapping, or is not here any more.")
NO_COLUMN = ReasonCode("no_column", "The file has no column %(column)s. Choose the mapping anew for this file.")
NOT_IN_SHAPE = ReasonCode(
    "not_in_shape",
    "%(column)s cannot become %(becomes)s in a table of %(shape)s. Choose something else, or another kind of table.",
)
BECOME_THE_SAME = ReasonCode(
    "become_the_same",
    "%(columns)s all become %(becomes)s. Choose one of them; of systems, questions and raters side by side, name "
    "each.",
)
RESPONSES_NEED_ITEM = ReasonCode("responses_need_item", "Choose the column that is the item.")
RESPONSES_NEED_SYSTEM = ReasonCode(
    "responses_need_system",
    "Choose the column that is the system, or name the system beside each column of sound or words.",
)
PAIRS_NEED = ReasonCode(
    "pairs_need",
    "A table of pairs needs two systems: a column for each, or a name of the system beside each column of sound.",
)
ANSWERS_NEED_UNIT = ReasonCode(
    "answers_need_unit",
    "Answers need what they are about: the item with its system or its two systems, a file name, or the key of a "
    "pair.",
)
ANSWERS_NEED_SYSTEM = ReasonCode(
    "answers_need_system",
    "The table has columns for several systems. Name the system that the answers of %(columns)s are about.",
)
ANSWERS_NEED_DATASET = ReasonCode(
    "answers_need_dataset",
    "Answers that name an item and nothing else are about its only pair or response, in a dataset that is there. "
    "Choose its systems, too, or the name of such a dataset.",
)
ANSWERS_OF_OTHERS = ReasonCode(
    "answers_of_others",
    "%(n)s rows have answers to a response that this table does not make: %(some)s. It is empty, or was left out or "
    "renamed by a choice. Choose otherwise, or import the responses first and the answers by a mapping of their own.",
)
ANSWERS_NEED_ANSWER = ReasonCode("answers_need_answer", "No column becomes an answer. Choose at least one.")
VALUE_UNDECIDED = ReasonCode(
    "value_undecided",
    "%(value)s in %(column)s is not decided (%(n)s rows, the first of them here). Choose what it becomes, or leave "
    "it out.",
)
NOT_TURNED = ReasonCode(
    "not_turned",
    "The pair is there with its systems the other way round, and it is not known how %(value)s is turned. Choose "
    "what the value becomes.",
)
ROWS_LEFT_OUT = ReasonCode(
    "rows_left_out", "%(n)s of %(rows)s rows are left out, since %(column)s is one of these: %(values)s."
)
VALUES_LEFT_OUT = ReasonCode("values_left_out", "%(n)s answers are left out, as chosen for %(column)s: %(values)s.")
CELLS_EMPTY = ReasonCode("cells_empty", "%(n)s cells of %(column)s are empty, and are missing answers.")
RESPONSES_EMPTY = ReasonCode("responses_empty", "%(n)s responses of %(column)s are empty, and are not made.")
ROWS_UNMATCHED = ReasonCode(
    "rows_unmatched", "%(n)s of %(rows)s rows are about nothing in this dataset, and are left out: %(some)s."
)
SAME_ON_BOTH_SIDES = ReasonCode(
    "same_on_both_sides",
    "%(n)s row has one and the same response on both sides, and is left out: %(some)s.",
    "%(n)s rows have one and the same response on both sides, and are left out: %(some)s.",
)
ALL_UNMATCHED = ReasonCode(
    "all_unmatched",
    "None of the %(rows)s rows is about anything in this dataset: %(some)s. Choose another column for the item, or "
    "another dataset.",
)
COLUMNS_UNUSED = ReasonCode("columns_unused", "Columns that are not used: %(columns)s.")
MAP_AFTER_CHECK = ReasonCode(
    "map_after_check", "Columns can be mapped after the upload and before the import is written."
)
RECIPE_NAME_TAKEN = ReasonCode("recipe_name_taken", "You have another recipe named %(name)s. Choose another name.")
NO_RECIPE = ReasonCode(
    "no_recipe", "This is not a recipe: a JSON object with name, columns and mapping, as downloaded here."
)
NO_RECIPE_NAMED = ReasonCode("no_recipe_named", "You have no recipe named %(name)s.")
DECIMAL_COMMAS = ReasonCode(
    "decimal_commas", "%(n)s numbers of %(column)s have a decimal comma, and are read with a point: 4,5 is 4.5."
)
NOT_UTF8_READ_AS = ReasonCode(
    "not_utf8_read_as", "The file is not UTF-8. It is read as %(encoding)s, as spreadsheet programs write it."
)

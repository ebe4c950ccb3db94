"""What an import is at, and why it cannot go on: one code for each, with its English text."""

from infrastructure.wording.reasons import ReasonCode

# What it is at
STORING = ReasonCode("storing_files", "Storing files")
LISTENING = ReasonCode("listening_to_files", "Listening to every file")
READING_ANSWERS = ReasonCode("reading_answers", "Reading every answer")
WRITING_ANSWERS = ReasonCode("writing_answers", "Writing every answer")
MAPPING_ROWS = ReasonCode("mapping_every_row", "Reading every row by the mapping")
CHECKING_ROWS = ReasonCode("checking_every_row", "Checking every row")
WRITING_ROWS = ReasonCode("writing_every_row", "Writing every row")
COMPARING_WITH_DATASET = ReasonCode("comparing_with_dataset", "Comparing with the dataset")
COMPARING_WITH_PROTOCOL = ReasonCode("comparing_with_protocol", "Comparing with the protocol")

DATASET_CHANGED = ReasonCode("dataset_changed", "The dataset has changed since the check; see the report.")

# Why an import is refused
INTO_ARCHIVED = ReasonCode(
    "into_archived", "The dataset “%(name)s” is archived and takes nothing new. Restore it first, then import."
)
HAS_ERRORS = ReasonCode(
    "import_has_errors", "Nothing was imported. Errors in the file: %(n)s; the page of the import names them."
)
NOT_CLEAN = ReasonCode("not_clean", "Only what was checked and found clean can be imported.")
ZIP_NO_LONGER_KEPT = ReasonCode(
    "zip_no_longer_kept", "The ZIP of the refused import is no longer here. Add it again."
)
CHOOSE_AFTER_CHECK = ReasonCode(
    "choose_after_check", "How a file is read can be chosen after its check and before its import."
)

# Why a part of an upload is refused
UPLOAD_TOO_LARGE = ReasonCode("upload_too_large", "At most %(most)s bytes are taken.")
TOO_MANY_UPLOADS = ReasonCode(
    "too_many_uploads", "You have %(most)s uploads that were not used. Import or delete some of them first."
)
PART_ELSEWHERE = ReasonCode("part_elsewhere", "The upload has %(received)s bytes; the part begins at byte %(at)s.")
UPLOAD_IN_USE = ReasonCode("upload_in_use", "Another request is adding to this upload.")
UPLOAD_UNFINISHED = ReasonCode("upload_unfinished", "%(received)s of %(size)s bytes are there. Send the rest first.")
NO_SUCH_UPLOAD = ReasonCode("no_such_upload", "There is no such upload among yours. It may have expired.")

# Why a file cannot be read
NO_ROWS = ReasonCode("no_rows", "The manifest holds no rows.")
FILE_PACKED = ReasonCode("file_packed", "The file is packed by gzip. Unpack it, and bring what is inside.")
NOTHING_LEFT = ReasonCode("nothing_left", "Nothing of the file is left to import.")
ANOTHER_SENTENCE = ReasonCode("another_sentence", "%(before)s %(sentence)s")
TABLE_TOO_LARGE = ReasonCode("table_too_large", "The table has %(gigabytes)s GB; at most 2 GB are read.")
MANIFEST_TOO_LARGE = ReasonCode("manifest_too_large", "The manifest has %(megabytes)s MB; at most 100 MB are read.")
MANIFEST_EMPTY = ReasonCode("manifest_empty", "The manifest is empty (0 bytes).")
TABLE_NOT_UTF8 = ReasonCode("table_not_utf8", "The table is not UTF-8 text. Save it as UTF-8.")
TOO_MANY_ROWS = ReasonCode("too_many_rows", "The manifest holds more than %(most)s rows; split it.")
NO_PARQUET = ReasonCode("no_parquet", "The manifest is not Parquet that can be read: %(why)s.")
MANIFEST_NOT_UTF8 = ReasonCode(
    "manifest_not_utf8",
    "The manifest is not UTF-8 text (byte %(byte)s). Save it as UTF-8.",
)
NO_JSON = ReasonCode("no_json", "The manifest is not valid JSON: %(why)s.")
ENTRY_NO_OBJECT = ReasonCode("entry_no_object", "Entry %(number)s of the JSON array is not an object.")
LINE_NO_OBJECT = ReasonCode("line_no_object", "Line %(number)s is JSON, but not an object.")
LINE_NO_CSV = ReasonCode("line_no_csv", "Line %(number)s is not valid CSV: %(why)s.")
COLUMN_TWICE = ReasonCode("column_twice", "The header names the column %(column)s more than once.")
LINE_NO_JSON = ReasonCode("line_no_json", "Line %(number)s is not a JSON object: %(why)s.")
HOLDS_KIND = ReasonCode(
    "holds_kind", "its column %(column)s holds %(kind)s, which is neither text nor number, list nor object"
)
COLUMN_UNREAD = ReasonCode(
    "column_unread", "The column %(column)s holds %(kind)s, which is neither text nor number. It is left out."
)
COLUMN_UNREADABLE = ReasonCode(
    "column_unreadable",
    "The column %(column)s holds %(kind)s, which is neither text nor number, and cannot be read. Write it as one.",
)
PARQUET_TOO_LONG = ReasonCode("parquet_too_long", "it holds more than %(rows)s rows or %(cells)s cells")
PARQUET_TOO_LARGE = ReasonCode("parquet_too_large", "it unpacks to more than %(megabytes)s MB")
NO_PATH_INSIDE = ReasonCode("no_path_inside", "%(path)s is not a path inside the audio folder or ZIP.")
NO_FILE_NAME = ReasonCode("no_file_name", "%(path)s is not a file name.")
MISSING_FROM_ZIP = ReasonCode("missing_from_zip", "%(path)s is missing from the ZIP.")
MISSING_FROM_PARQUET = ReasonCode("missing_from_parquet", "%(path)s is missing from the Parquet file, or too large.")
FILE_ENCRYPTED = ReasonCode("file_encrypted", "%(path)s is encrypted; make a ZIP without a password.")
FILE_A_LINK = ReasonCode("file_a_link", "%(path)s is a link; put the file itself into the ZIP.")
ZIP_TOO_LARGE = ReasonCode("zip_too_large", "The ZIP unpacks to %(megabytes)s MB; at most %(most)s MB are taken.")
ZIP_BOMB = ReasonCode("zip_bomb", "The ZIP unpacks to more than %(times)s times its size; audio does not.")
ZIP_HOLDS_TWICE = ReasonCode("zip_holds_twice", "The ZIP holds %(name)s more than once.")
LEADS_OUT = ReasonCode("leads_out", "%(path)s leads out of the audio folder.")
NO_ADDRESS_AND_NO_ZIP = ReasonCode(
    "no_address_and_no_zip", "%(path)s is no address, and no ZIP was given. Add a ZIP of the audio."
)
ADDRESS_NOT_FETCHED = ReasonCode("address_not_fetched", "%(path)s cannot be fetched: %(why)s")
ADDRESS_ANSWERS = ReasonCode(
    "address_answers",
    "%(path)s answers with status %(status)s. Open it in a browser that is not logged in: it has to be there for "
    "everybody.",
)
ADDRESS_BROKE_OFF = ReasonCode(
    "address_broke_off", "%(path)s broke off again and again (%(why)s). Try again later, or put it into a ZIP."
)
ADDRESS_TOO_LARGE = ReasonCode("address_too_large", "%(path)s is larger than %(most)s MB.")
CHECK_CANCELLED = ReasonCode("check_cancelled", "The check was cancelled, and the upload thrown away.")
NOT_BEING_CHECKED = ReasonCode(
    "not_being_checked", "Only an import that is being checked can be cancelled. This one is not."
)
ADDRESS_NOT_DECODED = ReasonCode(
    "address_not_decoded",
    "%(path)s comes compressed in a way that cannot be undone. Have it served as it is, or put it into a ZIP.",
)
ADDRESS_TOO_SLOW = ReasonCode(
    "address_too_slow",
    "%(path)s comes too slowly: at least %(rate)s kB a second are needed, and the whole within %(minutes)s minutes. "
    "Try again later, or put it into a ZIP.",
)
SERVER_TOO_SLOW = ReasonCode(
    "server_of_files_too_slow",
    "%(path)s was not fetched: %(n)s other files of its server came too slowly. Try again later, or use a ZIP.",
)
ADDRESSES_TOO_LONG = ReasonCode(
    "addresses_too_long",
    "%(path)s was not fetched: fetching the files took longer than %(hours)s hours. Import them in several parts.",
)
ADDRESSES_TOO_MUCH = ReasonCode(
    "addresses_too_much",
    "With %(path)s all files together are larger than %(most)s MB. Import them in several parts.",
)
BUCKET_MISSING = ReasonCode("bucket_missing", "%(path)s names no bucket; it has to be s3://bucket/key.")
BUCKET_NOT_ALLOWED = ReasonCode(
    "bucket_not_allowed",
    "%(path)s is in the bucket %(bucket)s, which is not read. An administrator can allow it: AUDIO_BUCKETS in .env.",
)
MISSING_FROM_FOLDER = ReasonCode("missing_from_folder", "%(path)s is missing from the audio folder.")
NOT_OPENED = ReasonCode("not_opened", "%(path)s cannot be opened in the audio folder.")
NO_ZIP = ReasonCode("no_zip", "The audio file is not a readable ZIP: %(why)s.")
NOT_UNPACKED = ReasonCode("not_unpacked", "%(path)s cannot be unpacked: %(why)s.")
LARGER_THAN_SAID = ReasonCode("larger_than_said", "%(path)s is larger than the ZIP says, or than 1 GB.")
PLAN_HAS_ERRORS = ReasonCode("plan_has_errors", "A plan with errors is not written.")
FILE_CHANGED = ReasonCode("file_changed", "%(path)s has changed since it was checked.")
NO_FOLDERS = ReasonCode(
    "no_folders",
    "The ZIP has no folders with audio. Without a manifest it needs one folder for each system: alpha/001.wav, "
    "beta/001.wav.",
)
NO_ZIP_GIVEN = ReasonCode("no_zip_given", "No ZIP of audio was given. Add one, or choose to import without audio.")
NO_TABLE = ReasonCode("no_table", "The manifest holds no text table; give CSV, JSON or JSON Lines.")
NO_HEADER = ReasonCode(
    "no_header",
    "The first line is no CSV header: column names with commas, semicolons or tabs between them.",
)
COLUMNS_FOR_ROWS = ReasonCode(
    "columns_for_rows",
    "The file holds one object with a whole column under each name. Write one object for each row, as pandas does by "
    "to_json(…, orient='records').",
)
CELL_NO_TEXT = ReasonCode("cell_no_text", "The column %(column)s holds a list or an object; a text is needed.")
TOO_MANY_COLUMNS = ReasonCode("too_many_columns", "The table has %(n)s columns; at most %(most)s are read.")
CELLS_OF_LINE = ReasonCode("cells_of_line", "Line %(number)s has %(n)s cells and the header has %(columns)s columns.")
CELLS_OF_ROW = ReasonCode("cells_of_row", "Row %(number)s has %(n)s cells and the header has %(columns)s columns.")
NAME_TWICE = ReasonCode("name_twice", "the name %(name)s stands more than once in one object")
NESTED_TOO_DEEP = ReasonCode("nested_too_deep", "it is nested more than %(most)s deep")
NAME_NOT_SEEN = ReasonCode(
    "name_not_seen",
    "The name %(name)s has characters that cannot be seen, or that turn the text around them; use letters, digits, "
    "signs and spaces.",
)
HOLDS_NUL = ReasonCode("holds_nul", "it holds a NUL character")
NOT_A_NUMBER = ReasonCode("not_a_number", "%(value)s is not a number")

# What messages are made of
LINE_AT = ReasonCode("line_at", "line %(numbers)s")
LINES_AT = ReasonCode("lines_at", "lines %(numbers)s")
LINES_AND_MORE = ReasonCode("lines_and_more", "lines %(numbers)s and %(n)s more")
ROW_AT = ReasonCode("row_at", "row %(numbers)s")
ROWS_AT = ReasonCode("rows_at", "rows %(numbers)s")
ROWS_AND_MORE = ReasonCode("rows_and_more", "rows %(numbers)s and %(n)s more")
PLACES = {"line": (LINE_AT, LINES_AT, LINES_AND_MORE), "row": (ROW_AT, ROWS_AT, ROWS_AND_MORE)}
ONE_PAIR = ReasonCode("one_pair", "%(n)s pair")
N_PAIRS = ReasonCode("n_pairs", "%(n)s pairs")
ONE_ROW = ReasonCode("one_row", "%(n)s row")
N_ROWS = ReasonCode("n_rows", "%(n)s rows")
ONE_PROMPT = ReasonCode("one_prompt", "%(n)s prompt")
N_PROMPTS = ReasonCode("n_prompts", "%(n)s prompts")
ONE_CLIP = ReasonCode("one_clip", "%(n)s clip")
N_CLIPS = ReasonCode("n_clips", "%(n)s clips")
COUNTED = {
    "pair": (ONE_PAIR, N_PAIRS),
    "row": (ONE_ROW, N_ROWS),
    "prompt": (ONE_PROMPT, N_PROMPTS),
    "clip": (ONE_CLIP, N_CLIPS),
}

# What is wrong with rows, and with all of them
WITHOUT_WORDS = ReasonCode(
    "without_words",
    "%(prompts)s without words (%(where)s). Words are read by text judges, and shown where the audio fails; "
    "where a prompt has no recording either, people hear the responses alone.",
)
EMPTY_RESPONSES = ReasonCode(
    "empty_responses",
    "New responses with neither audio nor words, beside those that are there: %(n)s, the first of %(item)s. "
    "To add prompts to items that are there, import item and prompt_text without the column system.",
)
LEFT_OUT_AS_CHOSEN = ReasonCode(
    "left_out_as_chosen",
    "Left out, as chosen, for another prompt than the first of their item: %(rows)s (%(where)s).",
)
UNDER_SEVERAL_ITEMS = ReasonCode(
    "under_several_items",
    "%(prompts)s under more than one item, as “%(text)s” under %(items)s. They count as different items; if "
    "they are the same, intervals over items are too narrow: choose then to make them one.",
)
PROMPTS_DIFFER = ReasonCode(
    "prompts_differ",
    "Item %(item)s names %(n)s different prompts: %(prompts)s. Choose whether it becomes an item for each "
    "prompt (split), keeps the first prompt and its rows (first), or is one item all the same (merge).",
)
PROMPTS_DIFFER_IN_SIGNS = ReasonCode(
    "prompts_differ_in_signs",
    "Item %(item)s names %(n)s different prompts: %(prompts)s. They differ only in signs, spaces or capitals. "
    "Choose whether it becomes an item for each prompt (split), keeps the first prompt and its rows (first), "
    "or is one item all the same (merge).",
)
SHOWN_WITH_FIRST_KEPT = ReasonCode(
    "shown_with_first_kept",
    "Item %(item)s is shown with its first prompt; %(n)s rows had another one, whose words are kept for "
    "exports alone.",
)
SHOWN_WITH_FIRST = ReasonCode(
    "shown_with_first",
    "Item %(item)s is shown with its first prompt; %(n)s rows had another one, whose words are not kept.",
)
MEANT_KEPT = ReasonCode(
    "meant_kept",
    "The column %(column)s is not understood and kept for exports alone. Is it meant to be %(meant)s?",
)
MEANT_NOT_KEPT = ReasonCode(
    "meant_not_kept",
    "The column %(column)s is not understood and not kept. Is it meant to be %(meant)s?",
)
TABLE_IS_WIDE = ReasonCode(
    "table_is_wide",
    "This table is wide: a row holds verdicts of two orders or of two places side by side (%(pairs)s), and no "
    "columns name the two systems of a row. Make it long first: a row for each order, with the columns index, "
    "model_a, model_b and order (AB or BA). Then import the pairs here, and the verdicts on the Comparison of "
    "a campaign over them. These columns are not understood: %(columns)s.",
)
PAIRS_WITHOUT_SYSTEMS = ReasonCode(
    "pairs_without_systems",
    "This table has pairs of recordings, and no columns that name their two systems. Add model_a and model_b: "
    "whose recording is the first, and whose the second. These columns are not understood: %(columns)s. A "
    "manifest of responses needs item and system; a manifest of pairs needs model_a and model_b (or system_a "
    "and system_b).",
)
NO_COLUMNS = ReasonCode("no_columns", "The rows of the file have no columns.")
NOT_UNDERSTOOD = ReasonCode(
    "not_understood",
    "These columns are not understood: %(columns)s. A manifest of responses needs item and system; a manifest "
    "of pairs needs model_a and model_b (or system_a and system_b).",
)
NEARLY_UNDERSTOOD = ReasonCode(
    "nearly_understood",
    "These columns are not understood: %(columns)s. A manifest of responses needs item and system; a manifest "
    "of pairs needs model_a and model_b (or system_a and system_b). (%(near)s)",
)
SYSTEM_WITH_ITSELF = ReasonCode(
    "system_with_itself",
    "%(pairs)s of one system with itself (%(where)s): such a pair says nothing about which system is better. "
    "Is the column right?",
)
TABLE_OF_VERDICTS = ReasonCode(
    "table_of_verdicts",
    "This is a table of verdicts. %(why)s Choose here to import without labels, which brings in each pair "
    "once. Start a campaign over these pairs, and bring the verdicts in there: Comparison, Import verdicts. "
    "Labels of people need a table of their own, with 1 for the first system of the row.",
)
LABELS_NOT_READ = ReasonCode(
    "labels_not_read",
    "No labels would come in: the column %(column)s (%(values)s) looks as if it had them, and is not read. "
    "Name it as the column of the labels (values 1, 2, tie, both_good, both_bad, model_a, model_b, A, B); map its "
    "values, if they are others, such as 0 and 1; or choose to import without labels.",
)
ONE_ITEM_FOR_ALL = ReasonCode(
    "one_item_for_all",
    "%(n)s pairs would become one item, %(item)s, although nothing says that they were asked the same: every "
    "figure over items would be wrong. Name the column that tells items apart (different values: "
    "%(columns)s), or the one with %(item)s in it if they are one item.",
)
SECOND_HEARD_FIRST = ReasonCode(
    "second_heard_first",
    "The column order says that in some rows the second system was heard first (BA): there, 1 is the second "
    "system, and read as labels it would count for the first.",
)
VERDICTS_LEFT_OUT = ReasonCode(
    "verdicts_left_out",
    "%(n)s rows are verdicts of judges: left out here. Import them into a campaign, as verdicts.",
)
PROTOCOL_UNKNOWN = ReasonCode(
    "protocol_unknown",
    "The protocol %(protocol)s is not known here: the answers are checked by their form alone.",
)
QUESTIONS_UNKNOWN = ReasonCode(
    "questions_unknown",
    "What it asks of each item is not known here: the answers are checked by their form alone.",
)
NEW_DATASET = ReasonCode(
    "new_dataset",
    "There is no dataset of this name yet. One is made of what the table names: items without prompts, "
    "responses without texts and sound, which a manifest may bring later. If it was to be another dataset, "
    "stop here.",
)
ANSWERED_OTHERWISE = ReasonCode(
    "answered_otherwise",
    "%(who)s answered unit %(unit)s otherwise under this name. Give these another name.",
)
RATER_ANSWERED_OTHERWISE = ReasonCode(
    "rater_answered_otherwise",
    "This rater answered unit %(unit)s otherwise under this name. Give these another name.",
)
ROW_SAYS_OTHERWISE = ReasonCode(
    "row_says_otherwise",
    "Row %(row)s says something else of what %(who)s answered to unit %(unit)s.",
)
ROW_SAYS_OTHERWISE_OF_RATER = ReasonCode(
    "row_says_otherwise_of_rater",
    "Row %(row)s says something else of what this rater answered to unit %(unit)s.",
)
CLIPS_SILENT = ReasonCode("clips_silent", "silent from end to end")
CLIPS_CLIPPED = ReasonCode("clips_clipped", "clipped in %(percent)s%% of the samples or more")
CLIPS_TOO_LOUD = ReasonCode(
    "clips_too_loud",
    "far too loud (true peak above %(peak)s dBTP, or more than %(lufs)s LUFS)",
)
CLIP_FAULTY = ReasonCode("clip_faulty", "%(n)s of %(clips)s of %(owner)s is %(fault)s: %(some)s.")
CLIPS_FAULTY = ReasonCode("clips_faulty", "%(n)s of %(clips)s of %(owner)s are %(fault)s: %(some)s.")
NO_ROW_NAMES_FILE = ReasonCode(
    "no_row_names_file",
    "No row names a file in %(columns)s. Add the column, or import without audio.",
)
CATEGORY_DIFFERS = ReasonCode("category_differs", "Item %(item)s was given with category %(category)s before.")
CELL_WITHOUT_FILE = ReasonCode("cell_without_file", "The cell %(column)s is empty: which file is it?")
FACT_DIFFERS = ReasonCode("fact_differs", "Item %(item)s was given with another %(fact)s before.")
TURN_NO_NUMBER = ReasonCode("turn_no_number", "Turn %(turn)s is not a whole number from 1 to 100.")
TURN_TWICE = ReasonCode("turn_twice", "Duplicate: %(system)s already answered turn %(turn)s of item %(item)s.")
NO_SUCH_CHANNEL = ReasonCode(
    "no_such_channel", "%(path)s: the recording has %(n)s channels; they are counted from 0."
)
SIDES_ARE_SAME = ReasonCode(
    "sides_are_same",
    "%(n)s pair has one and the same response on both sides (%(where)s), and is left out.",
    "%(n)s pairs have one and the same response on both sides (%(where)s), and are left out.",
)
LABELS_LEFT_OUT = ReasonCode("labels_left_out", "These labels were left out of the analysis; they are not imported.")
ASPECT_TOO_LONG = ReasonCode("aspect_too_long", "The aspect %(aspect)s has %(n)s characters; 1 to %(most)s are kept.")
DIFFER_BETWEEN_RATERS = ReasonCode(
    "differ_between_raters", "Rows of one pair differ in %(columns)s, which are not kept where they do."
)
PAIR_TWICE = ReasonCode("pair_twice", "Duplicate: pair %(pair)s was already given.")
LABEL_UNKNOWN = ReasonCode("label_unknown", "Unknown label %(label)s. Known are %(known)s. Else map its values.")
LABEL_TWICE = ReasonCode("label_twice", "Duplicate: pair %(pair)s already has this label.")
NO_SUCH_COLUMN = ReasonCode("no_such_column", "There is no column %(column)s. There are %(columns)s.")
BECOMES_ITEMS = ReasonCode("becomes_items", "Item %(item)s becomes %(n)s items, one for each of its prompts.")
KEEPS_FIRST_PROMPT = ReasonCode(
    "keeps_first_prompt",
    "Item %(item)s keeps its first prompt; %(n)s rows with another one are left out.",
)
COLUMN_SAYS_JUDGE = ReasonCode(
    "column_says_judge",
    "The column %(column)s says which judge gave each verdict: these are no labels of people.",
)
ANOTHER_CAMPAIGN = ReasonCode(
    "another_campaign",
    "A table holds the answers of one campaign; the rows before name another.",
)
UNIT_DIFFERS = ReasonCode("unit_differs", "Row %(row)s says something else of unit %(unit)s.")
ANSWER_TWICE = ReasonCode("answer_twice", "Duplicate: %(of)s was already answered in row %(row)s.")
COLUMN_MISSING = ReasonCode("column_missing", "The column %(column)s is missing. A table of answers has %(columns)s.")
LAST_LINE_CUT = ReasonCode("last_line_cut", "The last line has no end, as if the file had been cut off.")
COLUMN_NOT_KEPT = ReasonCode(
    "column_not_kept",
    "The column %(column)s does not belong to a table of answers; it is not kept.",
)
NO_ANSWER_OF_PERSON = ReasonCode("no_answer_of_person", "There is no answer of a person in this table.")
KIND_NOT_ASKED = ReasonCode("kind_not_asked", "%(protocol)s %(version)s does not ask about units of kind %(kind)s.")
NOT_ASKED_OF_ITEM = ReasonCode("not_asked_of_item", "%(protocol)s cannot be asked about item %(item)s: %(why)s.")
NO_ANSWER_IN_SLOTS = ReasonCode("no_answer_in_slots", "%(value)s is no answer to %(aspect)s in the frame of slots.")
ACCEPTABILITY_NOT_ASKED = ReasonCode("acceptability_not_asked", "Acceptability is not asked by this protocol.")
DOES_NOT_FOLLOW = ReasonCode("does_not_follow", "%(value)s does not follow from what is acceptable.")
LABELS_OF_PAIRS = ReasonCode(
    "labels_of_pairs",
    "%(name)s are labels that came with pairs. Give the answers another name.",
)
ANSWERS_OF_ANOTHER = ReasonCode(
    "answers_of_another",
    "%(name)s are answers of another %(column)s here. Give these another name.",
)
ITEM_NOT_HERE = ReasonCode("item_not_here", "Item %(item)s is not in this dataset.")
ITEM_OF_CATEGORY = ReasonCode("item_of_category", "Item %(item)s is here with category %(category)s.")
UNIT_OF_ITEM = ReasonCode("unit_of_item", "Unit %(unit)s is here of item %(item)s and of kind %(kind)s.")
UNIT_OF_RESPONSES = ReasonCode(
    "unit_of_responses",
    "Unit %(unit)s is here with other responses, or with these in other slots.",
)
RESPONSE_TWICE = ReasonCode("response_twice", "Unit %(unit)s names the same response twice.")
NOT_ANSWERED = ReasonCode("not_answered", "%(system)s has not answered item %(item)s in this dataset.")
ANSWERED_TIMES = ReasonCode("answered_times", "%(system)s answered item %(item)s %(n)s times: name the response.")
NO_SUCH_RESPONSE = ReasonCode(
    "no_such_response",
    "%(system)s has no response %(response)s to item %(item)s in this dataset.",
)
PROMPTS_OF_ITEM = ReasonCode("prompts_of_item", "Item %(item)s comes with %(n)s different prompts.")
ITEM_STANDS = ReasonCode(
    "item_stands",
    "Item %(item)s stands in a campaign that has opened; its turns and prompt can no longer change.",
)
RESPONSE_THERE_WITH_AUDIO = ReasonCode(
    "response_there_with_audio",
    "%(response)s is already there with other audio. Give the new one another take or dataset.",
)
PAIR_THERE = ReasonCode(
    "pair_there",
    "Pair %(pair)s is already there with another item, other systems or other recordings.",
)
ANSWERS_OF_TABLE = ReasonCode(
    "answers_of_table",
    "%(name)s are answers from a table. Give the new labels another name.",
)
PAIR_LABELLED = ReasonCode(
    "pair_labelled",
    "Pair %(pair)s is already labelled %(label)s here. Give the new labels another name.",
)
THERE_WITH_CATEGORY = ReasonCode("there_with_category", "Item %(item)s is already there with category %(category)s.")
THERE_WITH_TEXT = ReasonCode("there_with_text", "Item %(item)s is already there with another text.")
THERE_WITH_RECORDING = ReasonCode("there_with_recording", "Item %(item)s is already there with another recording.")
RESPONSE_THERE_WITH_TEXT = ReasonCode("response_there_with_text", "%(response)s is already there with another text.")
ITEM_WITHOUT_TURN = ReasonCode(
    "item_without_turn",
    "Item %(item)s has no turn %(turn)s. Items come in by a manifest.",
)

DATASET_GONE = ReasonCode("dataset_gone", "The dataset into which these answers were to go is not there any more.")
BATTLES_LACK = ReasonCode(
    "battles_lack",
    "Battles do not carry confidence, flags, marks, what was heard, when a unit came up, the protocol, and all "
    "answers that compare nothing.",
)
PREFERENCES_LACK = ReasonCode(
    "preferences_lack",
    "Preference pairs do not carry ties: whatever is counted of them here is without any. Nor do they carry other "
    "questions, confidence, flags, marks, times, what was heard, and the protocol.",
)
DATASET_LOOKS_LIKE = ReasonCode(
    "dataset_looks_like",
    "The dataset's name looks like that of another, %(name)s, with letters of another script. Was that one meant?",
)
RENAME_AFTER_IMPORT = ReasonCode(
    "rename_after_import", "An import into it is being written. Rename it when that is done."
)
SYSTEMS_LOOK_ALIKE = ReasonCode(
    "systems_look_alike",
    "The systems %(one)s and %(other)s look alike and are two, since letters of another script are among theirs.",
)

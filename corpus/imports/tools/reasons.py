"""What a tool's file was recognised as, and what of it is lost."""

from infrastructure.wording.reasons import ReasonCode

COLUMNS_LOST = ReasonCode("tool_columns_lost", "Columns that are not kept: %(columns)s.")
LMARENA = ReasonCode(
    "tool_lmarena",
    "LMArena battles: %(n)s battle of %(systems)s systems",
    "LMArena battles: %(n)s battles of %(systems)s systems",
)
MT_BENCH = ReasonCode(
    "tool_mt_bench",
    "MT-Bench judgments: %(n)s judgment of %(systems)s systems",
    "MT-Bench judgments: %(n)s judgments of %(systems)s systems",
)
VOTED_AGAIN = ReasonCode(
    "tool_voted_again",
    "%(n)s vote of the same rater on the same pair and turn comes again: the first counts.",
    "%(n)s votes of the same rater on the same pair and turn come again: the first counts.",
)
BATTLES_WITHOUT_OUTCOME = ReasonCode(
    "tool_battles_without_outcome",
    "%(n)s battle has no outcome that is known: it brings no answer, and no tie.",
    "%(n)s battles have no outcome that is known: they bring no answer, and no tie.",
)
BATTLES_WITHOUT_WORDS = ReasonCode(
    "tool_battles_without_words", "The battles have no conversations: items and systems come in by their names alone."
)
OTHER_ROLES = ReasonCode(
    "tool_other_roles",
    "%(n)s message is neither of the user nor of an assistant, and is left out.",
    "%(n)s messages are neither of the user nor of an assistant, and are left out.",
)
CONTENT_NO_TEXT = ReasonCode(
    "content_no_text", "The content of a message is an object; a text, or a list of parts, is needed."
)
OTHER_PARTS = ReasonCode(
    "tool_other_parts",
    "%(n)s part of a message is no text (%(kinds)s), and is left out.",
    "%(n)s parts of messages are no text (%(kinds)s), and are left out.",
)
PROMPTS_OF_SIDES_DIFFER = ReasonCode(
    "tool_prompts_of_sides_differ",
    "In %(n)s battle the two sides were asked different things: what side a was asked is kept.",
    "In %(n)s battles the two sides were asked different things: what side a was asked is kept.",
)
MODEL_WITH_ITSELF = ReasonCode(
    "tool_model_with_itself",
    "%(n)s battle is of a model with itself: its responses are two takes. It says nothing about which system is "
    "better.",
    "%(n)s battles are of a model with itself: their responses are two takes. They say nothing about which system is "
    "better.",
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
ANNOTATIONS_CANCELLED = ReasonCode(
    "tool_cancelled",
    "%(n)s annotation was cancelled, and is left out.",
    "%(n)s annotations were cancelled, and are left out.",
)
REGIONS = ReasonCode(
    "tool_regions",
    "%(n)s mark in the sound or the text (%(kinds)s) has no place in a table of answers.",
    "%(n)s marks in the sound or the text (%(kinds)s) have no place in a table of answers.",
)
SEVERAL_CHOICES = ReasonCode(
    "tool_several_choices",
    "%(n)s answer is several choices, which come in as one word.",
    "%(n)s answers are several choices, which come in as one word.",
)
PREDICTIONS = ReasonCode(
    "tool_predictions",
    "%(n)s prediction of a model is left out.",
    "%(n)s predictions of models are left out.",
)
POTATO = ReasonCode(
    "tool_potato", "Potato answers: %(annotations)s annotations of %(items)s items by %(annotators)s annotators"
)
POTATO_NAMES_ITEMS = ReasonCode(
    "tool_potato_names_items",
    "Potato's answers name items by their ids alone: the items come in by the project's data file, and the answers "
    "then go to the only pair, or the only response, of each.",
)
WEBMUSHRA = ReasonCode(
    "tool_webmushra", "webMUSHRA results: %(n)s ratings of %(trials)s trials in %(sessions)s sessions"
)
MUSHRA_SINGLE = ReasonCode(
    "tool_mushra_single",
    "Stimuli were heard side by side: they come in as ratings from 0 to 100 of single responses, for which no "
    "protocol ships, and the hidden reference as a system.",
)
WEBMUSHRA_WHICH_IS_REFERENCE = ReasonCode(
    "tool_webmushra_which_is_reference",
    "A paired comparison asks which of the two is the reference: its answers come in under the question “reference”, "
    "and say nothing of which is better.",
)
WEBMUSHRA_NOT_GIVEN = ReasonCode(
    "tool_webmushra_not_given",
    "%(n)s rating was not given (NA), and is left out.",
    "%(n)s ratings were not given (NA), and are left out.",
)
PYMUSHRA = ReasonCode(
    "tool_pymushra", "pyMUSHRA results: %(n)s answers to %(trials)s trials in %(sessions)s sessions"
)
PYMUSHRA_TYPES_LOST = ReasonCode(
    "tool_pymushra_types_lost",
    "%(n)s response is of a page of a type that is not read (%(types)s), and is left out.",
    "%(n)s responses are of pages of types that are not read (%(types)s), and are left out.",
)
PYMUSHRA_SEVERAL_TYPES = ReasonCode(
    "tool_pymushra_several_types",
    "The file holds responses of several types of pages (%(types)s). Download each by itself: pyMUSHRA has them at "
    "/download/TEST/TYPE.csv.",
)
WEBMUSHRA_CONFIGURATION = ReasonCode(
    "tool_webmushra_configuration", "webMUSHRA configuration: %(clips)s stimuli on %(pages)s pages"
)
WEBMUSHRA_PAGES_LOST = ReasonCode("tool_webmushra_pages_lost", "Pages that hold nothing to hear: %(kinds)s.")
WEBMUSHRA_PAGES_UNREAD = ReasonCode(
    "tool_webmushra_pages_unread", "Pages of types that are not read, with stimuli: %(kinds)s."
)
WEBMUSHRA_IDS_REPEATED = ReasonCode(
    "tool_webmushra_ids_repeated", "Several pages have the same id; the later ones get a number: %(names)s."
)
WEBMUSHRA_OWN_SCALE = ReasonCode(
    "tool_webmushra_own_scale", "Ratings that are words of the test's own scale come in as they are: %(words)s."
)
WEBMUSHRA_NO_PROTOCOL = ReasonCode(
    "tool_webmushra_no_protocol", "The questions and scales do not come in: choose a protocol for the campaign."
)
WEBMUSHRA_NO_YAML = ReasonCode("tool_webmushra_no_yaml", "The configuration is not YAML that can be read: %(why)s.")
WEBMUSHRA_NO_PAGES = ReasonCode("tool_webmushra_no_pages", "The configuration has no page with stimuli.")
WEBMUSHRA_NO_PAGES_READ = ReasonCode(
    "tool_webmushra_no_pages_read",
    "The configuration has no page of a type that is read: it has %(kinds)s; %(read)s are read.",
)
OUTSIDE_SCALE = ReasonCode(
    "tool_outside_scale",
    "%(value)s is not between %(least)s and %(most)s. Choose what it becomes, or leave it out.",
)
P808 = ReasonCode("tool_p808", "P.808 toolkit results: %(n)s ratings of %(clips)s clips by %(workers)s workers")
P808_NAMES_FOLDERS = ReasonCode(
    "tool_p808_names_folders",
    "The table names no systems: each clip's folder is taken for its system, and its file name for the item.",
)
P808_CHECKS = ReasonCode(
    "tool_p808_checks",
    "%(n)s rating of a trapping or gold clip is left out.",
    "%(n)s ratings of trapping and gold clips are left out.",
)
P808_REJECTED = ReasonCode(
    "tool_p808_rejected",
    "%(n)s assignment was rejected, and is left out.",
    "%(n)s assignments were rejected, and are left out.",
)
P808_UNRATED = ReasonCode(
    "tool_p808_unrated",
    "%(n)s clip that was shown has no rating.",
    "%(n)s clips that were shown have no rating.",
)
VERSA = ReasonCode("tool_versa", "VERSA scores: %(n)s utterances, %(metrics)s metrics")
VERSA_OF_FILES = ReasonCode(
    "tool_versa_of_files",
    "Keys are looked up as names of recordings, without their ending: the recordings come in first.",
)
NO_NUMBERS = ReasonCode(
    "tool_no_numbers",
    "%(n)s score is no number, and is missing: %(columns)s.",
    "%(n)s scores are no numbers, and are missing: %(columns)s.",
)
LM_EVAL = ReasonCode(
    "tool_lm_eval", "lm-evaluation-harness samples: %(n)s samples of %(items)s documents, %(metrics)s metrics"
)
LM_EVAL_NAMES_NO_MODEL = ReasonCode(
    "tool_lm_eval_names_no_model",
    "Samples do not name their model: it comes in as “%(model)s”; name it on the page of columns.",
)
LM_EVAL_WITHOUT_WORDS = ReasonCode(
    "tool_lm_eval_without_words",
    "%(n)s sample has likelihoods and no words: its response is a dash.",
    "%(n)s samples have likelihoods and no words: their response is a dash.",
)
LM_EVAL_TOTALS = ReasonCode(
    "tool_lm_eval_totals",
    "This file of lm-evaluation-harness has totals alone. Import its samples, which --log_samples writes.",
)
AUDIO_FOLDER = ReasonCode(
    "tool_audio_folder",
    "Audio folder of Hugging Face: %(n)s row with files in %(columns)s",
    "Audio folder of Hugging Face: %(n)s rows with files in %(columns)s",
)
PARQUET_WITH_SOUND = ReasonCode(
    "tool_parquet_with_sound",
    "Parquet of Hugging Face: %(n)s row with sound in %(columns)s",
    "Parquet of Hugging Face: %(n)s rows with sound in %(columns)s",
)
NAMED_ONE_SYSTEM = ReasonCode(
    "tool_named_one_system",
    "Nothing says whose recordings they are: their system is called “%(system)s”; name it on the page of columns.",
)
CLASSES_NAMED = ReasonCode("tool_classes_named", "%(column)s is read by the names of its classes: %(names)s.")
AUDIOJUDGE = ReasonCode(
    "tool_audiojudge",
    "AudioJudge table: %(n)s pair of %(name)s",
    "AudioJudge table: %(n)s pairs of %(name)s",
)
AUDIOJUDGE_VERDICTS = ReasonCode(
    "tool_audiojudge_verdicts",
    "The judge's predictions and reasons are no labels: import them into a campaign as verdicts.",
)
AUDIOJUDGE_NAMES_NO_SYSTEMS = ReasonCode(
    "tool_audiojudge_names_no_systems",
    "The table names no systems: the clips stand as “%(first)s” and “%(second)s”, and ratings of these say nothing.",
)
SPEAKBENCH = ReasonCode(
    "tool_speakbench",
    "AudioJudge's SpeakBench with both orders: %(n)s pair of %(systems)s systems",
    "AudioJudge's SpeakBench with both orders: %(n)s pairs of %(systems)s systems",
)
SPEAKBENCH_RATERS = ReasonCode(
    "tool_speakbench_raters", "What the judge said comes in as the answers of two raters, one for each order."
)
BESIDE_ITSELF = ReasonCode(
    "tool_beside_itself",
    "%(n)s row has one and the same recording of %(system)s on both sides, and is left out.",
    "%(n)s rows have one and the same recording of %(system)s on both sides, and are left out.",
)
P808_CCR = ReasonCode(
    "tool_p808_ccr",
    "P.808 toolkit CCR results: %(n)s rating of %(pairs)s pairs by %(workers)s workers",
    "P.808 toolkit CCR results: %(n)s ratings of %(pairs)s pairs by %(workers)s workers",
)
P808_DCR = ReasonCode(
    "tool_p808_dcr",
    "P.808 toolkit DCR results: %(n)s rating of %(pairs)s clips by %(workers)s workers",
    "P.808 toolkit DCR results: %(n)s ratings of %(pairs)s clips by %(workers)s workers",
)
P808_NAMES_FOLDERS_OF_PAIRS = ReasonCode(
    "tool_p808_names_folders_of_pairs",
    "The table names no systems: each clip's folder is taken for its system, and its reference's file name for the "
    "item.",
)
P808_REFERENCE_HEARD = ReasonCode(
    "tool_p808_reference_heard",
    "That a rating was given beside the reference is not kept: no protocol for DCR ships, and ratings come in as "
    "those of single clips.",
)
TAU_VOICE = ReasonCode(
    "tool_tau_voice",
    "τ-voice run: %(n)s simulation of %(tasks)s tasks by %(systems)s systems",
    "τ-voice run: %(n)s simulations of %(tasks)s tasks by %(systems)s systems",
)
USERS_CHANNEL = ReasonCode(
    "tool_users_channel",
    "The assistant's channel is stored with its words. The user's, which differs between simulations, is lost, and "
    "so are the times of words, tool calls and rewards.",
)
FULL_DUPLEX_BENCH = ReasonCode(
    "tool_full_duplex_bench",
    "Full-Duplex-Bench: %(n)s recording of %(systems)s systems for %(items)s samples",
    "Full-Duplex-Bench: %(n)s recordings of %(systems)s systems for %(items)s samples",
)
WORDS_TIMES = ReasonCode(
    "tool_words_times",
    "When words were said, and when the user interrupted, is lost: each channel is a clip of its own.",
)
CHANNELS_WITHOUT_WORDS = ReasonCode(
    "tool_channels_without_words",
    "%(n)s recording has no words beside it.",
    "%(n)s recordings have no words beside them.",
)
NO_MODEL_NAMED = ReasonCode(
    "tool_no_model_named", "No folder and no file names the model: it is called “%(system)s”."
)

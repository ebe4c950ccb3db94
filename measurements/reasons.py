"""Why a clip has no such feature, and a response no such score: one code for each, with its English text. Pure."""

from infrastructure.wording.reasons import ReasonCode

# Of extractors: what is not here
NOT_EXTRACTED = ReasonCode("not_extracted", "It was not extracted.")
NEEDS_FEATURE = ReasonCode("needs_feature", "It needs %(feature)s, which was not extracted.")
EXTRACTOR_BROKE = ReasonCode("extractor_broke", "The extractor failed on this clip; see the log.")
ORIGINAL_UNREADABLE = ReasonCode("original_unreadable", "The original cannot be read; import the dataset again.")
MODEL_ABSENT = ReasonCode(
    "model_absent",
    "The model %(name)s is neither in the folder of models nor in the cache, and fetching it from a hub is not "
    "allowed (MODELS_FOLDER, MODELS_CACHE, MODELS_FROM_HUB).",
)
NOT_CARRIED = ReasonCode("not_carried", "The package %(module)s is not installed, or does not carry %(file)s.")
NO_SPEECHMOS = ReasonCode("no_speechmos", "The packages speechmos, onnx and onnxruntime are not all installed.")
NO_SILERO = ReasonCode(
    "no_silero", "The packages silero-vad (6.2.3 or newer) and onnxruntime are not both installed."
)
NO_SPEECHBRAIN = ReasonCode(
    "no_speechbrain", "The packages speechbrain and torchaudio are not both installed (requirements-extras.txt)."
)
NO_RESEMBLYZER = ReasonCode(
    "no_resemblyzer", "The packages Resemblyzer (for its weights) and torch are not both installed."
)
NO_FUNASR = ReasonCode("no_funasr", "The package funasr is not installed (requirements-extras.txt).")
NO_MOONSHINE = ReasonCode(
    "no_moonshine", "The package moonshine-voice 0.0.65, which carries an English recogniser, is not installed."
)
NO_WHISPER = ReasonCode("no_whisper", "The package faster-whisper is not installed (requirements-extras.txt).")

NO_FEATURE_AT_ALL = ReasonCode(
    "no_feature_at_all", "No feature could be extracted from any clip; the reasons are shown with the extractors."
)

# What a job is at
EXTRACTING = ReasonCode("extracting_features", "Extracting features")
COMPUTING_METRICS = ReasonCode("computing_metrics", "Computing metrics")
READING_WORDS = ReasonCode("reading_words", "Reading what was said")

# Of clips
NO_SAMPLES = ReasonCode("no_samples", "This clip holds no samples.")
SILENCE_NO_QUALITY = ReasonCode("silence_no_quality", "Digital silence has no quality.")
SILENCE_NO_ACCENT = ReasonCode("silence_no_accent", "Digital silence has no accent.")
SILENCE_NO_EMOTION = ReasonCode("silence_no_emotion", "Digital silence has no emotion.")
SILENCE_NO_WORDS = ReasonCode("silence_no_words", "Digital silence has no words.")
BELOW_GATE = ReasonCode("below_gate", "Nothing rises above the gate of -70 LUFS.")
NO_PITCH = ReasonCode("no_pitch", "Nothing in this clip has a pitch.")
LITTLE_SPEECH = ReasonCode("little_speech", "There is less than half a second of speech.")
NO_WORD = ReasonCode("no_word", "No word was recognised.")
NO_SPEECH = ReasonCode("no_speech", "No speech was found.")
RECOGNISER_REPEATED = ReasonCode(
    "recogniser_repeated",
    "The recogniser repeated itself: it returned more words than can be spoken in that time.",
)

# Of a metric's inputs
INPUT_MISSING = ReasonCode("input_missing", "there is no %(input)s")
RESPONSE_MISSING = ReasonCode("response_missing", "there is no response")
TURN_WITHOUT_AUDIO = ReasonCode("turn_without_audio", "a turn has no audio")
TURNS_WITHOUT_FEATURE = ReasonCode("turns_without_feature", "%(n)s turns have no %(input)s")
SOURCE_TURN_WITHOUT_TEXT = ReasonCode("source_turn_without_text", "a turn of the source has no text")
RESPONSE_TURN_WITHOUT_TEXT = ReasonCode("response_turn_without_text", "a turn of the response has no text")
FACT_MISSING = ReasonCode("fact_missing", "the item has no fact %(one)s or %(other)s")
ORIGINAL_NOT_READ = ReasonCode(
    "original_not_read", "the original cannot be read (%(fault)s); import the dataset again"
)
FEATURE_NOT_EXTRACTED = ReasonCode("feature_not_extracted", "the feature %(feature)s was not extracted")
FEATURE_WITHOUT_VALUE = ReasonCode("feature_without_value", "the feature %(feature)s has no value")
IMPORTED_WITHOUT_VALUE = ReasonCode("imported_without_value", "imported without a value")

# Of metrics
VALUE_NOT_FINITE = ReasonCode("value_not_finite", "the value is not finite")
SOURCE_EMPTY = ReasonCode("source_empty", "the source text is empty")
SOURCE_NO_DURATION = ReasonCode("source_no_duration", "the source has no duration")
RESPONSE_NO_DURATION = ReasonCode("response_no_duration", "the response has no duration")
REFERENCE_EMPTY = ReasonCode("reference_empty", "the reference is empty")
EVERY_REFERENCE_EMPTY = ReasonCode("every_reference_empty", "every reference is empty")
SEVERAL_LANGUAGES = ReasonCode("several_languages", "the responses are in several languages")
NO_TOKENISER = ReasonCode(
    "no_tokeniser", "sacreBLEU's tokeniser for %(language)s is not installed: sacrebleu[%(language)s]"
)
EMBEDDINGS_DIFFER = ReasonCode("embeddings_differ", "the embeddings have different lengths")
AN_EMBEDDING_ZERO = ReasonCode("an_embedding_zero", "an embedding is zero")
NO_PROBABILITIES = ReasonCode("no_probabilities", "there are no probabilities")
DISTRIBUTION_EMPTY = ReasonCode("distribution_empty", "a distribution is empty")
NO_FORMANTS = ReasonCode("no_formants", "no frame has three formants")
CLIP_SHORT = ReasonCode("clip_short", "a clip is shorter than %(seconds)s s")
CLIP_SILENT = ReasonCode("clip_silent", "a clip is silent")
CONTOUR_SHORT = ReasonCode("contour_short", "a contour has fewer than two points")
CONTOUR_FLAT = ReasonCode("contour_flat", "a contour is flat")
CONTOUR_NOT_FINITE = ReasonCode("contour_not_finite", "a contour holds points that are no numbers")
NO_ONSETS = ReasonCode("no_onsets", "there are no onsets to take a tempo from")
FEW_VOICED = ReasonCode("few_voiced", "a clip has fewer than two voiced frames")
FEW_SAMPLES = ReasonCode("few_samples", "a clip has fewer than two samples")
FEW_RESPONSES = ReasonCode("few_responses", "fewer than %(n)s responses with speech on both sides")
ONE_RATE = ReasonCode("one_rate", "one side always speaks at the same rate")
NOT_LATIN = ReasonCode("not_latin", "syllables are only counted in Latin script")

# Of likelihoods
NO_UNCONDITIONAL = ReasonCode("no_unconditional", "there are no unconditional log-probabilities")
FEW_FRAMES = ReasonCode("few_frames", "the sequence has fewer than %(n)s frames")
PROMPT_END_UNKNOWN = ReasonCode("prompt_end_unknown", "nobody said where the prompt ends")
NOTHING_AFTER_PROMPT = ReasonCode("nothing_after_prompt", "nothing follows the prompt")
FEW_FRAMES_AFTER_PROMPT = ReasonCode("few_frames_after_prompt", "fewer than %(n)s frames follow the prompt")

# Of tables that bring scores and likelihoods
TABLE_HAS_NO_COLUMN = ReasonCode("table_has_no_column", "There is no column %(column)s; there are %(columns)s.")
NO_SUCH_SIDE = ReasonCode("no_such_side", "A side is positive or negative, not %(side)s.")
MODEL_OR_PAIR_TOO_LONG = ReasonCode(
    "model_or_pair_too_long",
    "A model or a pair has at most 200 characters, a category 100.",
)
PROMPT_FRAMES_NO_NUMBER = ReasonCode("prompt_frames_no_number", "prompt_frames is a whole number.")
NO_LIST_OF_NUMBERS = ReasonCode(
    "no_list_of_numbers",
    "%(column)s is a list of numbers, or one list of equal length per frame.",
)
SEQUENCE_IS_THERE = ReasonCode(
    "sequence_is_there",
    "%(sequence)s is there with other log-probabilities; name the model otherwise to keep both.",
)
COLUMN_EMPTY = ReasonCode("column_empty", "The column %(column)s is empty or missing.")
NO_SUCH_SYSTEM = ReasonCode("no_such_system", "The dataset has no system %(system)s.")
VERSION_TOO_LONG = ReasonCode("version_too_long", "A version has at most 20 characters.")
NO_SUCH_METRIC = ReasonCode(
    "no_such_metric",
    "There is no metric %(metric)s in the registry; for one of your own, say its axis in the column axis.",
)
AXIS_TOO_LONG = ReasonCode("axis_too_long", "The name of an axis has at most 60 characters.")
SCORES_NEED_COLUMNS = ReasonCode(
    "scores_need_columns",
    "The table has no column %(columns)s. Scores are rows with system, metric and value; or a row for each metric "
    "(metric) and a column for each system; or a row for each system (system or model) and columns of numbers.",
)
NO_SUCH_DIRECTION = ReasonCode("no_such_direction", "The direction is higher or lower, not %(direction)s.")
METRIC_TOO_LONG = ReasonCode("metric_too_long", "The name of a metric has at most 60 characters.")
NO_RESPONSE_TO = ReasonCode("no_response_to", "%(system)s has no response to an item %(item)s.")
SEVERAL_TAKES = ReasonCode("several_takes", "%(system)s has %(n)s takes of %(item)s; name one in the column take.")
NO_FINITE_NUMBER = ReasonCode(
    "no_finite_number",
    "%(value)s is no finite number; leave the cell empty where there is no value.",
)
N_NO_NUMBER = ReasonCode("n_no_number", "n is a whole number, not %(value)s.")
NO_SUCH_TAKE = ReasonCode("no_such_take", "%(system)s has no take %(take)s of %(item)s.")
NO_SUCH_RECORDING = ReasonCode(
    "no_such_recording",
    "No one recording of this dataset is called %(key)s (line %(line)s). Keys are names of files, with or without "
    "their ending.",
)
SCORE_IS_THERE = ReasonCode(
    "score_is_there",
    "%(metric)s of %(system)s is there with another value; give another version to keep both.",
)
NO_SUCH_UNIT = ReasonCode("no_such_unit", "The dataset has no unit %(unit)s.")
TABLE_LACKS_COLUMN = ReasonCode("table_lacks_column", "The table has no column %(column)s; there are %(columns)s.")
NAME_TOO_LONG = ReasonCode("name_too_long", "A name has at most %(most)s characters.")
NUMBER_IS_THERE = ReasonCode("number_is_there", "%(column)s of %(unit)s is there with another value.")
CELL_IS_NO_NUMBER = ReasonCode("cell_is_no_number", "%(text)s in the column %(column)s is no number.")
VALUE_NO_NUMBER = ReasonCode("value_no_number", "%(value)s is no number.")
VALUE_NO_NUMBER_POINT = ReasonCode("value_no_number_point", "%(value)s is no number. %(point)s")

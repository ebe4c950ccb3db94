"""Why a judge has no answer, why a run stopped, and what to do about it: one code for each, with its English text."""

from infrastructure.wording.reasons import ReasonCode

# Of runs
NONE_OF_FIRST = ReasonCode(
    "run_none_of_first", "None of the first %(n)s units has an answer, so nothing more is asked: %(last)s"
)
FEW_LATELY = ReasonCode(
    "run_few_lately", "%(bad)s of the last %(n)s verdicts have no answer, so nothing more is asked: %(last)s"
)
NONE_AT_ALL = ReasonCode("run_none_at_all", "None of the %(n)s verdicts has an answer: %(last)s")
SAME_TEXT = ReasonCode(
    "run_same_text",
    "The model wrote the same text about %(n)s different units, so nothing more is asked. Look at one of its "
    "replies; if that is right for this judge, go on.",
)
EMPTY = ReasonCode(
    "replies_empty",
    "The replies are empty. Raise the most tokens of one reply, or try the model on the page Models; then go on.",
)
CUT_OFF = ReasonCode(
    "replies_cut_off",
    "The replies end at the limit of tokens. Make the judge anew with more tokens in one reply, and run that one.",
)
UNREADABLE = ReasonCode(
    "replies_unreadable",
    "The replies hold no answer that can be read. Look at one below, and take a model that keeps to the form.",
)
REFUSED = ReasonCode(
    "replies_refused", "The model refuses to judge. Read its words below, and take another model or other material."
)
KEY_REFUSED = ReasonCode(
    "key_refused", "%(last)s Correct the API key on the page Models, and judge the failed ones again."
)
NOT_THERE = ReasonCode(
    "model_not_found",
    "%(last)s Correct the address or the name of the model on the page Models, and judge the failed ones again.",
)
REJECTED = ReasonCode(
    "request_rejected", "%(last)s Change what the server does not take, and judge the failed ones again."
)
UNAVAILABLE = ReasonCode("server_unavailable", "%(last)s Judge the failed ones again once the server is well.")
NO_QUOTA = ReasonCode(
    "quota_spent", "The account of this model has nothing left, so the run waits. Go on when it has: %(last)s"
)
BUDGET_SPENT = ReasonCode(
    "budget_spent",
    "$%(left)s of the budget of $%(budget)s is left after $%(spent)s, and the next call may cost $%(usd)s. Go on "
    "with a higher budget, or take a judge with fewer tokens in one reply.",
)
BUDGET_UNCONFIRMED = ReasonCode(
    "budget_unconfirmed",
    "$%(left)s of the budget of $%(budget)s is left after $%(spent)s and up to $%(unconfirmed)s for calls whose bill "
    "never came, and the next call may cost $%(usd)s. Go on with a higher budget.",
)
BILLED_MORE = ReasonCode(
    "billed_more",
    "A call cost $%(usd)s, more than the $%(most)s that it may cost by its limit of tokens. Look at the price of the "
    "model and at what the server bills before you go on.",
)
NOT_COUNTED = ReasonCode(
    "tokens_not_counted", "The server does not count tokens, or the price is not known: no budget can be kept."
)
MISCOUNTED = ReasonCode(
    "tokens_miscounted",
    "The server counts more tokens than there can be, or less than none. What this call may cost at most is taken "
    "for billed.",
)
NO_BUDGET_BY_COUNT = ReasonCode(
    "budget_miscounted",
    "The server counts more tokens than there can be, or less than none: no budget can be kept. Look at what it "
    "bills before you go on.",
)
NOT_KEPT = ReasonCode("verdict_not_kept", "What came for this unit could not be kept (%(fault)s). The log says why.")
NO_MODEL = ReasonCode("judge_without_model", "This judge has no model to ask.")
MODEL_DISABLED = ReasonCode("model_disabled", "The model %(model)s was disabled.")
GIVEN_UP = ReasonCode("worker_ended", "The worker ended %(n)s times at this one. The log may say why.")
BUSY = ReasonCode("server_busy", "The server answered %(status)s again and again.")
ANSWERED = ReasonCode("server_answered", "The server answered %(status)s: %(said)s")
TOO_SLOW = ReasonCode("server_too_slow", "The server did not answer within %(seconds)s s.")
NOT_REACHED = ReasonCode("server_not_reached", "The server cannot be reached (%(fault)s).")
NOT_READ = ReasonCode("server_answer_unread", "The server's answer cannot be read (%(fault)s).")
NO_COMPLETION = ReasonCode("no_completion", "The server's answer is no chat completion.")
TOO_LONG = ReasonCode("server_answer_too_long", "The server's answer is longer than 4 MB.")
NOT_ASKED = ReasonCode("server_not_asked", "The server was not asked.")
NOT_DECODED = ReasonCode(
    "server_answer_compressed", "The server's answer is compressed in a way that is not read here: %(encoding)s."
)
REDIRECTED = ReasonCode(
    "server_redirects",
    "The server answered %(status)s: it sends to %(target)s, which is not followed. If you trust that address, add "
    "the model again with it.",
)
LIMIT_REFUSED = ReasonCode(
    "limit_refused",
    "This model takes no %(parameter)s: choose %(other)s under its parameters, or let its test find what works. The "
    "server answered %(status)s: %(said)s",
)
TEMPERATURE_REFUSED = ReasonCode(
    "temperature_refused",
    "This model takes no such temperature: choose to send none under its parameters, or let its test find what "
    "works. The server answered %(status)s: %(said)s",
)
EFFORT_REFUSED = ReasonCode(
    "effort_refused",
    "This model takes no such reasoning effort: choose another one, or none, under its parameters. The server "
    "answered %(status)s: %(said)s",
)
PARAMETER_REFUSED = ReasonCode(
    "parameter_refused",
    "This model does not take %(parameter)s: take it out of the extra body under its parameters. The server answered "
    "%(status)s: %(said)s",
)
KIND_GONE = ReasonCode("kind_gone", "This kind of judge is not part of this installation any more.")
KEY_LOST = ReasonCode("key_lost", "The API key cannot be read any more; enter it again.")
TAKES_NO_SOUND = ReasonCode(
    "takes_no_sound",
    "This model takes no sound. If it does, add it again and say in which form the server wants sound.",
)
TOO_MUCH_SOUND = ReasonCode(
    "too_much_sound",
    "The %(n)s sounds of one request are %(seconds)s s or %(megabytes)s MB, more than the %(most)s MB that servers "
    "take; choose fewer examples or the lower rate.",
)
SOUND_TOO_LONG = ReasonCode(
    "sound_too_long",
    "One request would hold %(seconds)s s of sound, more than the %(most)s s that this judge is set to send.",
)

SENTENCE = ReasonCode("sentence", "%(text)s.")
WITHOUT_REASON = ReasonCode("without_reason", "No reason was given.")

# Of one reply
REPLY_EMPTY = ReasonCode("reply_empty", "The reply is empty.")
REPLY_ONLY_THINKING = ReasonCode("reply_only_thinking", "The reply is nothing but thinking.")
REPLY_CUT_OFF = ReasonCode("reply_cut_off", "The reply was cut off at the token limit before its answer was whole.")
REPLY_UNREADABLE = ReasonCode("reply_unreadable", "The reply holds no answer that can be read.")
REPLY_CONTRADICTING = ReasonCode(
    "reply_contradicting", "The reply holds several answers that differ, so none of them counts."
)
REPLY_UNFINISHED = ReasonCode(
    "reply_unfinished", "The reply holds part of an answer beside a whole one, so neither counts."
)
REPLY_TOO_DEEP = ReasonCode("reply_too_deep", "The reply holds values nested too deeply to be read.")
MODEL_REFUSED = ReasonCode("model_refused", "The model refused.")
DRAFTS_NO_LIST = ReasonCode("drafts_no_list", "The reply has no list of texts.")
DRAFTS_WRONG_NUMBER = ReasonCode("drafts_wrong_number", "The reply has %(n)s criteria and not 1 to %(most)s.")
PROMPT_WITHOUT_TEXT = ReasonCode("prompt_without_text", "The prompt of this item has no text.")

# Of one verdict
ABOUT_ASPECTS = ReasonCode("about_aspects", "%(aspects)s: %(why)s")
BOTH_RATED_ALIKE = ReasonCode("both_rated_alike", "Both are rated alike in %(aspect)s, and the protocol has no tie.")
CLIP_NOT_READ = ReasonCode("clip_not_read", "A clip cannot be read (%(fault)s); import the dataset again.")
JUDGE_FAILED = ReasonCode("judge_failed", "The judge itself failed (%(fault)s); the log says where.")
NO_UNCHANGED_RUN = ReasonCode(
    "no_unchanged_run",
    "There are no verdicts of %(judge)s on unchanged sound, with which those on changed sound (%(condition)s) would "
    "be compared. Import them first, or in the same table, without a condition.",
)
IMPORTED_WITHOUT = ReasonCode("imported_without_answer", "%(aspects)s")
NOT_RUN_HERE = ReasonCode("not_run_here", "Its verdicts were imported; it cannot be run here.")
NO_LABELLED_UNITS = ReasonCode("no_labelled_units", "There are no labelled units of other items.")
NO_EXAMPLE = ReasonCode("no_example", "There is no labelled unit that may be shown as an example.")
NO_SUCH_EXAMPLES = ReasonCode("no_such_examples", "Nobody offers examples from %(name)s.")
NO_LABEL_BY_POLICY = ReasonCode("no_label_by_policy", "The policy %(policy)s has no label for this.")
NO_LABEL_BY_VOTES = ReasonCode("no_label_by_votes", "The votes give no label by this rule (%(rule)s).")
NOTHING_DRAWN = ReasonCode("nothing_drawn", "No answers that go together were drawn.")
RESPONSE_SILENT = ReasonCode("response_without_sound", "Response %(place)s has no sound to be heard.")
RESPONSE_EMPTY = ReasonCode("response_empty", "Response %(place)s has no sound and no text.")
NO_POSITIVE_AND_NEGATIVE = ReasonCode(
    "no_positive_and_negative", "The prompt has no positive and negative example as its last two turns."
)
FEW_PROMPTS = ReasonCode("few_prompts", "only %(n)s labelled prompts, and %(fewest)s are wanted")
PEOPLE_UNKNOWN = ReasonCode("people_unknown", "nobody knows how often people are right on these prompts")
LESS_THAN_PEOPLE = ReasonCode("less_than_people", "right on %(right)s of the labelled prompts, people on %(people)s")

# Of what is known of a clip
FEATURE_MISSING = ReasonCode("feature_missing", "%(feature)s: %(why)s")
NOTHING_MEASURED = ReasonCode("nothing_measured", "nothing was measured")
NO_SOUND = ReasonCode("no_sound", "There is no sound.")
NO_SOUND_OR_TEXT = ReasonCode("no_sound_or_text", "There is neither sound nor text.")
NO_PACE_PITCH_PAUSES = ReasonCode("no_pace_pitch_pauses", "Neither pace nor pitch nor pauses were measured.")
EMBEDDING_ZERO = ReasonCode("embedding_zero", "The %(feature)s embedding is zero.")
NO_RESPONSE = ReasonCode("no_response", "There is no response.")
NO_SOUND_TO_RECOGNISE = ReasonCode("no_sound_to_recognise", "There is no sound to recognise them in.")
NOTHING_RECOGNISED = ReasonCode("nothing_recognised", "Nothing recognised them.")
NO_WORDS_OF_RESPONSES = ReasonCode("no_words_of_responses", "No words are known of any response. %(why)s")
NO_WORDS_OF_CLIP = ReasonCode("no_words_of_clip", "No words of a clip are known. %(why)s")
NOTHING_KNOWN = ReasonCode("nothing_known", "Nothing is known of any response. %(why)s")
EVERYTHING_OFF = ReasonCode("everything_off", "Every group of features is switched off.")
EXTRACTOR_ABSENT = ReasonCode("extractor_absent", "This extractor is not part of this installation.")
WITHOUT_SAMPLES = ReasonCode("without_samples", "A clip has one row of samples or more.")
NOT_FINITE = ReasonCode("not_finite", "The clip holds samples that are NaN or infinite.")
SILENCE_WITHOUT_SNR = ReasonCode("silence_without_snr", "Silence has no signal-to-noise ratio.")

# Why a kind of judge does not fit a protocol
RATES_ONE = ReasonCode(
    "rates_one", "It rates one response at a time, and this protocol chooses among all of an item."
)
PAIRS_NO_EXAMPLES = ReasonCode(
    "pairs_no_examples", "Labels of pairs are no examples of ratings; set the number of examples to 0."
)
NOT_FROM_ONE = ReasonCode("not_from_one", "%(title)s cannot be judged from one response.")
HANGS_ON_COMPARISON = ReasonCode("hangs_on_comparison", "%(title)s hangs on how the two compare.")
COMPARES_SEVERAL = ReasonCode("compares_several", "It compares responses, and this protocol puts one.")
JUDGES_COMPARE_TWO = ReasonCode(
    "judges_compare_two", "Its judges compare two responses, and this protocol puts something else."
)
NO_ITEM_CRITERIA = ReasonCode("no_item_criteria", "It does not answer the criteria that items bring.")
FALLBACK_MISSING = ReasonCode("fallback_missing", "The fallback is a label that this protocol does not have.")
NO_JUDGE_FOR = ReasonCode("no_judge_for", "None of its judges is for %(title)s.")
ASKS_NOT_WHICH = ReasonCode("asks_not_which", "%(title)s does not ask which of the two is better.")
CHOICES_DIFFER = ReasonCode("choices_differ", "%(title)s and %(other)s have different choices.")
COMPARES_TWO_CLIPS = ReasonCode("compares_two_clips", "It compares two clips, and this protocol puts something else.")
NO_PROMPT_FOR = ReasonCode("no_prompt_for", "It has no prompt of its own for %(title)s.")
CHECKS_ONE = ReasonCode("checks_one", "It checks one response by itself, and this protocol puts several.")
YES_OR_NO_ONLY = ReasonCode("yes_or_no_only", "It answers by yes or no, and %(title)s asks for something else.")
COMPARES_TWO = ReasonCode("compares_two", "It compares two responses, and this protocol asks about something else.")
NO_RULE_FOR = ReasonCode("no_rule_for", "It has no rule for %(title)s.")
WRITES_NO_TEXTS = ReasonCode("writes_no_texts", "It writes no texts, and %(title)s asks for one.")
COMPARES_NOT_EACH = ReasonCode(
    "compares_not_each", "It compares two responses, and this protocol asks about each one."
)

# Why a run cannot be started, or go on
PROBE_OF_PROBE = ReasonCode("probe_of_probe", "A probe begins from a run that is done and is no probe itself.")
BOTH_ORDERS_ASKED = ReasonCode(
    "both_orders_asked", "Both orders were asked already: the run says how many answers hang on them."
)
NO_UNITS_TO_JUDGE = ReasonCode("no_units_to_judge", "This campaign has no units to judge.")
NO_BUDGET_LEFT = ReasonCode("no_budget_left", "Its budget is spent. Set a higher one to continue.")
EVERY_VERDICT_TRIED = ReasonCode(
    "every_verdict_tried", "Every verdict was tried. Have those judged again that failed."
)
STILL_A_DRAFT = ReasonCode("still_a_draft", "A draft may still change: open the campaign first.")
TOO_MANY_SAMPLES = ReasonCode("too_many_samples", "A unit is judged one to %(n)s times in each order.")
EXAMPLES_OF_ANOTHER = ReasonCode("examples_of_another", "Examples come from labels of the same dataset.")
BUDGET_WITHOUT_PRICE = ReasonCode("budget_without_price", "A budget needs the price of the model. Name it first.")
BUDGET_NOTHING = ReasonCode("budget_nothing", "A budget is more than nothing.")
NOTHING_TO_LEARN_FROM = ReasonCode(
    "nothing_to_learn_from",
    "This judge learns from labelled units of other items. There are none: choose where they come from.",
)
RUN_CANCELLED = ReasonCode("run_cancelled", "This run was cancelled.")
RUN_IN_ANOTHER_STATE = ReasonCode("run_in_another_state", "This run is not in a state for that any more.")
ITS_MODEL_DISABLED = ReasonCode("its_model_disabled", "Its model was disabled.")
KIND_AT_ANOTHER_VERSION = ReasonCode(
    "kind_at_another_version",
    "This kind is at version %(now)s now, and the judge is of version %(then)s: make it anew.",
)

# Why a table of verdicts is refused
IMPORT_HAS_ENDED = ReasonCode("import_has_ended", "This import has ended, or can no longer be cancelled.")
ANOTHER_IMPORT = ReasonCode(
    "another_import", "Another table of verdicts is being imported into this campaign. Wait until that ends."
)

# Of a table of verdicts
TABLE_WITHOUT_COLUMN = ReasonCode("table_without_column", "The table has no column %(column)s. It has: %(columns)s.")
NO_JUDGE_COLUMN = ReasonCode("no_judge_column", "No column says which judge it was. Name the judge.")
NO_ORDER_COLUMN = ReasonCode(
    "no_order_column",
    "No column says in which order the responses were heard. Say in which.",
)
NO_ROW_OF_CAMPAIGN = ReasonCode("no_row_of_campaign", "No row is about a unit and an aspect of this campaign.")
NO_COLUMN_SAYS = ReasonCode("no_column_says", "No column says what the %(part)s is. Known names: %(known)s.")
SAMPLE_NO_NUMBER = ReasonCode("sample_no_number", "%(sample)s is no whole number below 1,000.")
VERDICT_TWICE = ReasonCode("verdict_twice", "Duplicate: %(name)s of unit %(unit)s in order %(order)s came before.")
UNIT_HAS_SYSTEM = ReasonCode(
    "unit_has_system",
    "Unit %(unit)s has %(system)s as %(slot)s, and this row says %(named)s.",
)
ANOTHER_VERDICT = ReasonCode(
    "another_verdict",
    "%(judge)s has another verdict on unit %(unit)s in order %(order)s already. Give this one another name, "
    "or the column that tells them apart.",
)
SYSTEMS_SWAPPED_BY_ROW = ReasonCode(
    "systems_swapped_by_row",
    "%(n)s of %(all)s rows name the systems the other way round than the units do. If %(a)s is the system "
    "that was heard first, and not the unit's a, write the columns system_a = %(b)s and system_b = %(a)s, and "
    "see that the order of each row is about the units' a and b (BA: the unit's b came first).",
)
SYSTEMS_SWAPPED = ReasonCode(
    "systems_swapped",
    "%(n)s of %(all)s rows name the systems the other way round than the units do. If %(a)s is the system "
    "that was heard first, and not the unit's a, write the columns system_a = %(b)s and system_b = %(a)s, "
    "with the order turned (b first) for the whole table.",
)
NO_ORDER = ReasonCode("no_order", "%(order)s is no order of the slots %(slots)s.")
ORDER_MISSING = ReasonCode("order_missing", "Nothing is no order of the slots %(slots)s.")
SLOT_NOT_ASKED = ReasonCode("slot_not_asked", "%(aspect)s of %(slot)s is not asked of unit %(unit)s.")
NOT_ASKED_WITHOUT_SLOT = ReasonCode("not_asked_without_slot", "%(aspect)s of no slot is not asked of unit %(unit)s.")
ANOTHER_UNIT = ReasonCode(
    "another_unit",
    "%(n)s rows are about another unit than this campaign has (%(some)s): left out.",
)
ANOTHER_ASPECT = ReasonCode(
    "another_aspect",
    "%(n)s rows are about another aspect than this campaign has (%(some)s): left out.",
)

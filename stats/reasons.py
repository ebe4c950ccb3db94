"""Why a number is undefined, has no interval, or leaves something out: one code for each, with its English text.

What statistics and reports say; pure, as they are.
"""

from infrastructure.wording.reasons import ReasonCode

# Agreement
ONE_LABEL_THROUGHOUT = ReasonCode("one_label_throughout", "both raters gave one and the same label to every unit")
NO_OVERLAP = ReasonCode("no_overlap", "no unit has labels from two raters")
SAME_LABEL = ReasonCode("same_label", "every label is the same")
NOTHING_TO_TELL_APART = ReasonCode(
    "nothing_to_tell_apart", "all labels are the same, so there is nothing to tell apart"
)
ONE_CATEGORY = ReasonCode("one_category", "a scale of one category leaves no choice")
NO_OTHERS = ReasonCode("no_others", "no label has others to be compared with")
TOO_FEW_LABELS = ReasonCode("too_few_labels", "fewer than two labels")
NO_LABEL = ReasonCode("no_label", "no label")
FOR_CHANCE_ONLY = ReasonCode("for_chance_only", "one label, counted for chance only")
NOBODY_ELSE = ReasonCode("nobody_else", "nobody else labelled it")
NO_MAJORITY = ReasonCode("no_majority", "the others have no majority")
KAPPA_UNDEFINED = ReasonCode("kappa_undefined", "two raters whose κ is undefined")
NO_KAPPA = ReasonCode("no_kappa", "no two raters have a κ")
NOTHING_SHARED = ReasonCode("nothing_shared", "no two raters said something of the same")

# Intervals
NOTHING_TO_COUNT = ReasonCode("nothing_to_count", "nothing to count")
ONE_UNIT = ReasonCode("one_unit", "one unit alone says nothing of how others would vary")
ONE_CLUSTER = ReasonCode("one_cluster", "one cluster alone says nothing of how others would vary")
TWO_UNITS = ReasonCode("two_units", "two units alone say too little of how others would vary")
TWO_CLUSTERS = ReasonCode("two_clusters", "two clusters alone say too little of how others would vary")
TWO_ITEMS = ReasonCode("two_items", "two items alone say too little of how others would vary")
ONE_ITEM = ReasonCode("one_item", "one item alone says nothing of how others would vary")
WITHOUT_ONE_UNIT = ReasonCode("without_one_unit", "without one of the units it is undefined")
WITHOUT_ONE_CLUSTER = ReasonCode("without_one_cluster", "without one of the clusters it is undefined")
SAME_VALUES = ReasonCode("same_values", "values that are all the same say nothing of how others would vary")
ALIKE_CLUSTERS = ReasonCode("alike_clusters", "clusters that are all alike say nothing of how others would vary")
ALIKE_UNITS = ReasonCode("alike_units", "units that are all alike say nothing of how others would vary")
ON_ONE_LINE = ReasonCode("on_one_line", "scores that all lie on one line say nothing of how others would vary")
ABOUT_THIS_ITEM = ReasonCode("about_this_item", "about this item alone")
ABOUT_THESE_ITEMS = ReasonCode("about_these_items", "about these two items alone")
ABOUT_THIS_RATER = ReasonCode("about_this_rater", "about this rater alone")
ABOUT_THESE_RATERS = ReasonCode("about_these_raters", "about these two raters alone")
NOTHING_YET = ReasonCode(
    "nothing_yet", "too few votes, voters or items so far for an interval that holds at every look"
)
FEW_UNITS_YET = ReasonCode("few_units_yet", "an interval for every look needs %(least)s units; %(n)s so far")
NOTHING_VARIES = ReasonCode("nothing_varies", "it is the same whatever people say, so there is no interval")
FEW_FOR_INTERVAL = ReasonCode("few_for_interval", "an interval needs %(least)s systems, and there are %(n)s")
RESAMPLES_UNDEFINED = ReasonCode("resamples_undefined", "%(undefined)s of %(n)s resamples were undefined")
RESAMPLES_RANK_NOBODY = ReasonCode("resamples_rank_nobody", "%(undefined)s of %(n)s resamples rank nobody")
RESAMPLES_WITHOUT_MAXIMUM = ReasonCode(
    "resamples_without_maximum", "%(undefined)s of %(n)s resamples had no finite maximum"
)

# Rater models
NOTHING_TO_SEPARATE = ReasonCode(
    "nothing_to_separate", "no two ratings have a system, an item or a rater in common while others have not"
)
FACETS_MIXED = ReasonCode(
    "facets_mixed", "who rated what mixes systems, items and raters, so that their variances cannot be separated"
)
NOT_LINKED = ReasonCode("not_linked", "no rater links this system with the others")
FEW_FOR_SEVERITY = ReasonCode(
    "few_for_severity", "adjusting for severity needs three raters and three items of this system at least"
)
NO_SEVERITY_SEEN = ReasonCode("no_severity_seen", "raters differ in severity by no more than chance")
NO_REPEATED_RATINGS = ReasonCode("no_repeated_ratings", "no response was rated twice")
ONE_RESPONSE = ReasonCode("one_response", "fewer than two responses were rated")
FEW_CLUSTERS = ReasonCode("few_clusters", "an interval needs %(least)s items")
RATINGS_DISAGREE = ReasonCode(
    "ratings_disagree", "ratings of one response differ more than those of different ones, so that a mean has none"
)
ONE_RATER = ReasonCode("one_rater", "there is only one rater")
MODEL_UNSETTLED = ReasonCode("model_unsettled", "the model found no maximum in %(n)s steps")

# Judges against people
LABEL_MISSING = ReasonCode("label_missing", "a label is missing")
SAME_OVERALL = ReasonCode("same_overall", "all units have the same overall label")
FEW_COMPLETE_UNITS = ReasonCode("few_complete_units", "fewer than %(n)s units with all labels")
RESOLVED_NONE = ReasonCode("resolved_none", "it resolved none")
NO_PAIRS = ReasonCode("no_pairs", "no pairs")
NO_PAIR_BOTH_BAD = ReasonCode("no_pair_both_bad", "no pair is bad on both sides")
NO_PAIR_WITH_WINNER = ReasonCode("no_pair_with_winner", "no pair has a winner")
TIE_ON_ONE_SIDE = ReasonCode("tie_on_one_side", "a tie on one side")
TIE = ReasonCode("tie", "a tie")
TIE_NOT_COUNTED = ReasonCode("tie_not_counted", "a tie, where only winners count")
FEW_VERDICTS = ReasonCode("few_verdicts", "fewer than two verdicts")
LENGTHS_TOO_CLOSE = ReasonCode("lengths_too_close", "lengths too close")
NO_VERDICT_IN_ONE_ORDER = ReasonCode("no_verdict_in_one_order", "no verdict in one of the orders")
NO_VERDICT = ReasonCode("no_verdict", "no verdict")
NOT_JUDGED_BOTH_WAYS = ReasonCode("not_judged_both_ways", "not judged both ways")
NO_PAIR_DECIDED_BOTH_WAYS = ReasonCode("no_pair_decided_both_ways", "no pair was decided in both orders")
NO_PAIR_JUDGED_BOTH_WAYS = ReasonCode("no_pair_judged_both_ways", "no pair was judged in both orders")
NO_PAIR_DECIDED = ReasonCode("no_pair_decided", "no pair is decided")
NO_PAIR_TO_COUNT = ReasonCode("no_pair_to_count", "no pair to count")
NO_UNIT_TO_COMPARE = ReasonCode("no_unit_to_compare", "no unit to compare")
NO_ANSWER_TO_THESE = ReasonCode("no_answer_to_these", "it gave no answer to any of these units")
GROUP_EMPTY = ReasonCode("group_empty", "a group is empty")
NO_ANSWER = ReasonCode("no_answer", "no answer")
NO_REFERENCE = ReasonCode("no_reference", "no reference label")
NOT_COMPARED = ReasonCode("not_compared", "no reference label, or no answer where that is left out")
NO_DIFFERING_VOTE = ReasonCode("no_differing_vote", "no vote between responses that differ")
NO_WINNER_NAMED = ReasonCode("no_winner_named", "no winner named")
NEITHER_SIDE = ReasonCode("neither_side", "nothing fell to either side")
REFERENCE_HAS_TIES = ReasonCode("reference_has_ties", "the reference has ties")
RIGHT_ON_THE_SAME = ReasonCode("right_on_the_same", "the two were right and wrong on the same units")
NEVER_SAID = ReasonCode("never_said", "this was never said")
NO_UNLABELLED_VERDICT = ReasonCode(
    "no_unlabelled_verdict", "the judge has no verdict on a unit without a human label"
)
SAME_HUMAN_LABELS = ReasonCode("same_human_labels", "all human labels are the same")
JUDGE_SAYS_THE_SAME = ReasonCode("judge_says_the_same", "the judge always says the same")
FEW_LABELLED_ITEMS = ReasonCode("few_labelled_items", "%(n)s items with human labels; at least %(needed)s are needed")
SAVES_TOO_LITTLE = ReasonCode(
    "saves_too_little",
    "the judge's verdicts narrow the interval by too little: it saves %(saved)s of the labels",
)

# Scores and systems
ONE_SIDE_WITHOUT_SYSTEM_SCORE = ReasonCode("one_side_without_system_score", "a system without a score on one side")
NO_SCORE_ON_ONE_SIDE = ReasonCode("no_score_on_one_side", "no score on one side")
NO_SCORE = ReasonCode("no_score", "no score")
INPUTS_MISSING = ReasonCode("inputs_missing", "inputs missing")
NO_VALUE = ReasonCode("no_value", "no value")
NOBODY_RATED = ReasonCode("nobody_rated", "nobody rated this system")
FEW_SCORES = ReasonCode("few_scores", "fewer than three scores, or all on one turn")
FEW_SYSTEMS = ReasonCode("few_systems", "fewer than three systems, or all rank alike")
FEW_PAIRS_OF_SCORES = ReasonCode("few_pairs_of_scores", "fewer than %(n)s pairs of scores")
FEW_SYSTEMS_WITH_SCORES = ReasonCode("few_systems_with_scores", "fewer than %(n)s systems with both scores")
KNOWN_OF_FEW_SYSTEMS = ReasonCode("known_of_few_systems", "it is known of %(n)s systems, and %(needed)s are needed")
ONE_SIDE_CONSTANT = ReasonCode("one_side_constant", "one side is always the same")
SAME_FOR_EVERY_SYSTEM = ReasonCode("same_for_every_system", "it is the same for every system")
NO_CRITERION_LEFT = ReasonCode("no_criterion_left", "no criterion is left")
NO_CRITERION_CHECKED = ReasonCode("no_criterion_checked", "no criterion was checked")
MAYBE_NOISE = ReasonCode(
    "maybe_noise",
    "more than half of how far systems lie apart may be noise; more items are needed",
)
NOISE = ReasonCode(
    "noise",
    "true differences of systems cannot be distinguished from noise; more items are needed",
)

# Ratings
NO_VOTES = ReasonCode("no_votes", "no votes")
FEW_OTHER_VOTERS = ReasonCode("few_other_voters", "fewer than two others have voted")
NOT_CONNECTED = ReasonCode("not_connected", "no votes connect them")
NO_INTERVALS = ReasonCode("no_intervals", "this method has no intervals")
AGAINST_ITSELF = ReasonCode("against_itself", "a system against itself")
NO_DISTANCE = ReasonCode(
    "no_distance",
    "some systems took everything from the others, or nothing, so votes alone set no distance",
)
SYSTEM_ALL_TIES = ReasonCode(
    "system_all_ties", "all its votes were ties, which say nothing of how far they could vary"
)
PRIOR_NOT_DRAWN = ReasonCode("prior_not_drawn", "a bootstrap cannot tell how far a prior holds")
ALL_TIES = ReasonCode("all_ties", "all votes were ties")
EVERY_VOTE_A_TIE = ReasonCode("every_vote_a_tie", "every vote was a tie")
NO_VOTE_A_TIE = ReasonCode("no_vote_a_tie", "no vote was a tie")
ACCEPTABILITY_NOT_SAID = ReasonCode("acceptability_not_said", "no vote says whether it was acceptable")
LOST = ReasonCode("lost", "lost, which does not say whether it was acceptable")
UNTYPED_TIES = ReasonCode(
    "untyped_ties",
    "the ties of these votes have no type, so they say nothing of what is acceptable",
)
WITHOUT_BOUNDS = ReasonCode("without_bounds", "the votes leave a system or an effect without bounds")
NOT_ITS_OWN = ReasonCode("not_its_own", "it follows from which systems met, or from the covariates before it")
EQUALLY_LOUD = ReasonCode("equally_loud", "all clips were played equally loud")
FEW_VOTES_KNOWN = ReasonCode("few_votes_known", "it is known of too few votes")
FIRST_NOT_SAID = ReasonCode("first_not_said", "votes do not say which response was presented first")
BOTH_ORDERS = ReasonCode("both_orders", "each vote is of both orders")
COVARIATE_MISSING = ReasonCode("covariate_missing", "a covariate is missing")

# Verdicts that are no votes
RUN_WITHOUT_VERDICT = ReasonCode("run_without_verdict", "the run has no verdict on them")
VERDICT_WITHOUT_ANSWER = ReasonCode("verdict_without_answer", "the verdict has no answer to this question")
ONE_ORDER_ONLY = ReasonCode("one_order_only", "they were heard in one order, and the run is of both")
SAMPLES_DIVIDED = ReasonCode("samples_divided", "samples were equally divided")
HANGS_ON_ORDER = ReasonCode("hangs_on_order", "the answer hangs on the order in which the responses were heard")
NOT_WHO_IS_BETTER = ReasonCode("not_who_is_better", "the answer does not say who is better")
VERDICT_TO_DO = ReasonCode("verdict_to_do", "the verdict is still to do")
VERDICT_FAILED = ReasonCode("verdict_failed", "the judge failed")
VERDICT_REFUSED = ReasonCode("verdict_refused", "the model refused")
VERDICT_UNREAD = ReasonCode("verdict_unread", "the reply could not be read")

# Why there can be no report of a campaign
REPORT_GONE = ReasonCode("report_gone", "There is no such kind of report any more.")
NO_VOTES_TO_SWAY = ReasonCode(
    "no_votes_to_sway",
    "Votes can be swayed where two responses are compared; this campaign has no such units or aspects.",
)
NOTHING_TO_WIN = ReasonCode(
    "nothing_to_win",
    "Systems win or lose where two responses are compared; this campaign has no such units or aspects.",
)
NEITHER_BETTER_NOR_RATED = ReasonCode(
    "neither_better_nor_rated", "The protocol asks neither who is better nor for a rating."
)
NO_JUDGE_RUN = ReasonCode("no_judge_run", "No judge was run over this campaign.")
NO_JUDGE_YET = ReasonCode("no_judge_yet", "No judge has run over this campaign yet, and no verdicts were imported.")
NO_METRIC = ReasonCode("no_metric", "No metric was measured on the systems of this dataset, and none was imported.")
NOT_WHICH_IS_BETTER = ReasonCode("not_which_is_better", "The protocol does not ask which of two responses is better.")
NO_RUBRIC_CAMPAIGN = ReasonCode("no_rubric_campaign", "There is no rubric campaign over the same dataset.")
NOT_HCOT = ReasonCode(
    "not_hcot",
    "This is for protocols that ask for content, voice quality, paralinguistics and an overall label, all with "
    "typed ties, and for nothing else.",
)
NO_RATING = ReasonCode("no_rating", "The protocol asks for no rating on a scale.")

# Why a judge cannot be put to a test
NOTHING_LABELLED = ReasonCode("nothing_labelled", "Nothing that this run judged has a label of people.")

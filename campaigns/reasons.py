"""Why a campaign cannot be changed, opened or told of: one code for each, with its English text."""

from infrastructure.wording.reasons import ReasonCode

LOUDNESS_FIXED = ReasonCode(
    "loudness_fixed", "The loudness is fixed once a campaign has opened; make a new campaign."
)
STAYS_CLOSED = ReasonCode("stays_closed", "A closed campaign stays closed, so that its results stay what they were.")
NOT_OPEN_OR_PAUSED = ReasonCode(
    "not_open_or_paused", "Only a campaign that is open or paused can be paused or closed."
)
FIXED_ONCE_OPEN = ReasonCode(
    "fixed_once_open", "This is fixed once a campaign has opened. Clone the campaign to change it."
)
CHECKS_FIXED = ReasonCode("checks_fixed", "Checks are fixed once a campaign has opened; make a new campaign.")
GATES_FIXED = ReasonCode(
    "gates_fixed",
    "What is asked before the first unit is fixed once a campaign has opened; create a new campaign.",
)
NOT_RUNNING = ReasonCode("not_running", "Units are added only to a campaign that is open or paused.")
ARENA_DRAWS = ReasonCode(
    "arena_draws", "An arena draws its pairs among the systems that it opened with; clone it to compare the new ones."
)
CRITERIA_FROZEN = ReasonCode(
    "criteria_frozen", "The criteria of its items were fixed when it opened; clone it to ask about new responses."
)
UNITS_FROM_FILE = ReasonCode("units_from_file", "Its units came from a file of pairs; clone it to use another file.")
UNITS_CHOICE_UNKNOWN = ReasonCode(
    "units_choice_unknown", "It is not known how its units were chosen; clone it to choose them again."
)
NO_LATER_UNITS = ReasonCode("no_later_units", "There are no units to add.")
NEW_UNIT_WITHOUT_AUDIO = ReasonCode(
    "new_unit_without_audio", "%(n)s of the new units lack audio, the first of item %(item)s. No unit was added."
)
NEW_CLIPS_NOT_DELIVERED = ReasonCode(
    "new_clips_not_delivered",
    "%(n)s clips cannot be prepared as this campaign's are, the first %(first)s: %(why)s No unit was added.",
)
NEW_ITEM_NOT_ASKED = ReasonCode(
    "new_item_not_asked", "Its protocol cannot be asked about item %(item)s: %(why)s No unit was added."
)
ADDING_UNITS = ReasonCode("adding_units", "Preparing the audio of the new units")
MOST_WEBHOOKS = ReasonCode("most_webhooks", "A campaign has at most %(n)s webhooks.")
ADDRESS_DISABLED = ReasonCode("address_disabled", "This address was disabled. Add it again to resume.")

# Why a unit cannot become a spoken trap
UNIT_WITHOUT_AUDIO = ReasonCode("unit_without_audio", "it has no audio")
AUDIO_NOT_THERE = ReasonCode("audio_not_there", "its audio is not there; import the dataset again")
NO_RECORDING_FITS = ReasonCode("no_recording_fits", "there is no recording of an instruction that fits")
RECORDING_NOT_READ = ReasonCode("recording_not_read", "the recording of %(name)s cannot be read; upload it again")
SENTENCE_TOO_LONG = ReasonCode("sentence_too_long", "the sentence needs %(needed)s s and there are %(room)s s")
NOTHING_TO_MATCH = ReasonCode(
    "nothing_to_match", "the clip or the sentence is silent, so there is no loudness to match"
)
SENTENCE_CLIPPED = ReasonCode("sentence_clipped", "at the loudness of the clip the sentence would be clipped")

# Why a campaign or its dataset cannot be archived or deleted, or get new work
CLOSE_FIRST = ReasonCode("close_first", "People can answer at this moment. Pause or close the campaign first.")
CLOSE_CAMPAIGNS_FIRST = ReasonCode(
    "close_campaigns_first", "Open campaigns over it: %(n)s. Pause or close them first."
)
CAMPAIGNS_OF_OTHERS = ReasonCode(
    "campaigns_of_others",
    "Campaigns of other people over it: %(n)s. Ask their admins to delete them, or ask an administrator.",
)
TITLE_NAMES_SYSTEMS = ReasonCode("title_names_systems", "The title names %(systems)s, and annotators read it.")
CAMPAIGN_ARCHIVED = ReasonCode("campaign_archived", "The campaign is archived. Restore it first.")
DATASET_ARCHIVED = ReasonCode("dataset_archived", "The dataset is archived. Restore it first.")

# Rules of stopping, and how one stands
RULE_PLACES = ReasonCode(
    "rule_places",
    "once place %(n)s of the board is settled",
    "once the first %(n)s places of the board are settled",
)
RULE_AGREEMENT = ReasonCode("rule_agreement", "once the agreement of annotators is known to ±%(width)s")
RULE_JUDGES = ReasonCode("rule_judges", "once the κ of each judge with people is known to ±%(kappa)s")
RULE_WORTH = ReasonCode(
    "rule_worth",
    "once settling the cheapest open place is expected to cost more than %(worth)s, at %(price)s for an answer",
)
NO_BOARD_YET = ReasonCode("no_board_yet", "No votes connect all systems yet.")
PLACES_SETTLED = ReasonCode("places_settled", "%(settled)s of the first %(of)s places settled")
PLACES_OF_SYSTEMS = ReasonCode("places_of_systems", "%(of)s places are asked for, and there are %(systems)s systems.")
NO_PLACE_IS_OPEN = ReasonCode("no_place_is_open", "Every two neighbours differ beyond doubt.")
WORTH_ITS_PRICE = ReasonCode(
    "worth_its_price",
    "about %(n)s more answer settles the cheapest open place, for %(cost)s of %(worth)s",
    "about %(n)s more answers settle the cheapest open place, for %(cost)s of %(worth)s",
)
AGREEMENT_NOT_YET = ReasonCode("agreement_not_yet", "The agreement has no interval yet.")
AGREEMENT_KNOWN = ReasonCode("agreement_known", "the agreement is known to ±%(reach)s of ±%(width)s")
JUDGES_NOT_YET = ReasonCode("judges_not_yet", "Not every judge has an interval of κ yet.")
JUDGES_KNOWN = ReasonCode(
    "judges_known", "κ of %(judge)s, which is the least known, is known to ±%(reach)s of ±%(kappa)s"
)

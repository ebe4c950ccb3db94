"""Why something cannot be renamed, archived, restored or deleted."""

from infrastructure.wording.reasons import ReasonCode

NOTHING_SUCH = ReasonCode("nothing_such_to_delete", "This kind of thing cannot be deleted.")
ALREADY_GOING = ReasonCode("already_being_deleted", "It is being deleted already.")
REMOVING = ReasonCode("removing_rows", "removing its rows and files")
ARCHIVE_FIRST = ReasonCode(
    "archive_first", "Only what is archived can be deleted. Archive it first; that can be undone."
)
NOT_ARCHIVED = ReasonCode("not_archived", "It is not archived.")
IS_ARCHIVED = ReasonCode("is_archived", "It is archived. Restore it first.")
NAME_DIFFERS = ReasonCode("typed_name_differs", "Type its name exactly as it stands there: nothing was deleted.")
NAME_LOOKS_ALIKE = ReasonCode(
    "typed_name_looks_alike",
    "What you typed looks like its name and is not the same: capitals or letters of another script differ. "
    "Look whether this is the one that you mean; copy its name if it is. Nothing was deleted.",
)
NAME_MISSING = ReasonCode("new_name_missing", "It needs a name of letters, digits, signs and spaces.")
NAME_LONG = ReasonCode("new_name_long", "Its name can have at most %(n)s characters.")
NAME_TAKEN = ReasonCode("new_name_taken", "Another one has this name. Choose a different one.")
NAME_LOOKS_LIKE = ReasonCode(
    "new_name_looks_like",
    "It looks like the name of another, %(name)s, with letters of another script. Choose a different one.",
)
WORK_GOES_ON = ReasonCode(
    "work_goes_on", "Work on it goes on (jobs and runs: %(n)s). Wait for it, or cancel it on its pages."
)
NO_DEMO = ReasonCode("no_demo_left", "Nothing of the demo is left.")
HAND_OVER_FIRST = ReasonCode(
    "hand_over_first",
    "Only people of the demo are admins of %(titles)s. Name another admin on the page People there.",
)
ONLY_ITS_OWNER = ReasonCode("only_its_owner", "Only its owner or an administrator may delete it.")

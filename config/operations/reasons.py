"""What backups are at, and why one failed."""

from infrastructure.wording.reasons import ReasonCode

COPYING_DATABASE = ReasonCode("backup_copying_database", "Copying the database")
COPYING_FILES = ReasonCode("backup_copying_files", "Copying files")
COMPARING_FILES = ReasonCode("backup_comparing_files", "Comparing files")
RESTORING_ASIDE = ReasonCode("backup_restoring_aside", "Restoring the database to a scratch place")
BACKUP_FAILED = ReasonCode("backup_failed", "There is no new backup. %(why)s")
TEST_FAILED = ReasonCode(
    "backup_test_failed", "The backup %(name)s did not pass. %(why)s Make a new one, and keep this."
)
NO_SUCH_BACKUP = ReasonCode("backup_not_there", "There is no backup %(name)s in the folder of backups.")
CANNOT_RESTORE_ASIDE = ReasonCode(
    "backup_cannot_restore_aside",
    "The test could not restore to a scratch database: the user of DATABASE_URL needs the right CREATEDB. Until then "
    "restore a copy on another machine.",
)
BACKUPS_AT_WORK = ReasonCode(
    "backup_at_work", "A backup is being made or tested. Remove %(name)s when that is done, or cancel it under Jobs."
)
LAST_GOOD_BACKUP = ReasonCode(
    "backup_last_good", "%(name)s has become the last good backup meanwhile. Confirm again to remove it all the same."
)

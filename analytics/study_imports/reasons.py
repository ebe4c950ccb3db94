"""Why a study cannot come in: one code for each, with its English text."""

from infrastructure.wording.reasons import ReasonCode

STUDY_FORM = ReasonCode("study_form", "%(file)s is not of form %(form)s, which this version reads.")
STUDY_TARGET = ReasonCode("study_target", "target_lufs in %(file)s is no number.")
STUDY_DIGEST = ReasonCode("study_digest", "%(file)s is not what was asked: its SHA-256 is not the one in %(about)s.")
STUDY_FILE_MISSING = ReasonCode(
    "study_file_missing",
    "%(file)s is missing. A study is the export for Hugging Face, all of it.",
)
STUDY_NO_PARQUET = ReasonCode("study_no_parquet", "%(file)s is not Parquet that can be read: %(why)s.")
STUDY_NO_JSON = ReasonCode("study_no_json", "%(file)s is not JSON: %(why)s.")
STUDY_PROTOCOL = ReasonCode("study_protocol", "%(file)s: %(why)s.")
STUDY_VERDICTS = ReasonCode("study_verdicts", "%(file)s: %(why)s")
STUDY_ROW = ReasonCode("study_row", "Row %(row)s of %(file)s is not one of ours: %(why)s.")
DATASET_TAKEN = ReasonCode(
    "dataset_taken",
    "There is a dataset of this name already. A study comes into one of its own: choose another name.",
)

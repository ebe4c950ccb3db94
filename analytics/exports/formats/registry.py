"""The formats that there are. A new one is a module and a line here."""

from analytics.exports.formats.answers_csv import CSV
from analytics.exports.formats.answers_jsonl import JSONL
from analytics.exports.formats.answers_parquet import PARQUET
from analytics.exports.formats.battles import BATTLES
from analytics.exports.formats.format import Format
from analytics.exports.formats.hugging_face import HUGGING_FACE
from analytics.exports.formats.preferences import PREFERENCES
from analytics.exports.formats.trace import TRACE
from campaigns.models import Campaign

FORMATS: dict[str, Format] = {
    it.name: it
    for it in (
        CSV,
        JSONL,
        PARQUET,
        TRACE,
        BATTLES,
        PREFERENCES,
        HUGGING_FACE,
    )
}


def formats_for(campaign: Campaign) -> list[Format]:
    """Those that the campaign's answers have the shape for."""
    return [it for it in FORMATS.values() if it.fits(campaign)]

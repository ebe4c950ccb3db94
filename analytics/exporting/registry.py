"""The formats that there are. A new one is a module and a line here."""

from analytics.exporting.answers_csv import CSV
from analytics.exporting.answers_jsonl import JSONL
from analytics.exporting.answers_parquet import PARQUET
from analytics.exporting.battles import BATTLES
from analytics.exporting.format import Format
from analytics.exporting.hugging_face import HUGGING_FACE
from analytics.exporting.preferences import PREFERENCES
from analytics.exporting.trace import TRACE
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

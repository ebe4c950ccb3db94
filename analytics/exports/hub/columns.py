"""The columns of the hub's tables that are no tables of answers. Parquet, the card and Croissant describe them."""

import pyarrow as pa

from analytics.exports.tables.columns import described, fields_of
from corpus.tidy.columns import Column

#: A sound as `datasets` keeps it.
SOUND = pa.struct([("bytes", pa.binary()), ("path", pa.string())])
_ITEMS = (
    Column("unit", "key of what was put before the rater"),
    Column("kind", "pair, single (one response) or item (all the responses to an item)"),
    Column("item", "key of what the systems were asked"),
    Column("category", "the item's category"),
    Column("facts", "JSON: facts about the item, criteria by number among them", "json"),
    Column("item_number", "of the item, as the items came into the dataset", "whole"),
    Column("position", "of the unit in the campaign; empty for checks", "whole"),
    Column("turn", "of the conversation, counted from 1", "whole"),
    Column("prompt_text", "text of what the systems were asked in this turn"),
)
STANDINGS = (
    Column("aspect", "what was judged"),
    Column("method", "by which the systems were rated"),
    Column("votes_sha256", "SHA-256 of the votes with their voters and items, in their order"),
    Column("table", "number of the table; systems that no votes connect are in different ones", "whole"),
    Column("system", "name of the system"),
    Column("rating", "on the scale of Elo; empty where it is undefined", "number"),
    Column("low", "lower end of the rating's interval", "number"),
    Column("high", "upper end of the rating's interval", "number"),
    Column("best_rank", "the best rank that the intervals allow", "whole"),
    Column("worst_rank", "the worst rank that the intervals allow", "whole"),
    Column("votes", "how many the rating is based on", "whole"),
    Column(
        "provisional",
        "1 where the system won or lost everything, so that a prior determines its rating; else 0",
        "whole",
    ),
    Column("reason", "why the rating is undefined or provisional"),
    Column("acceptable", "share of the answers by which the system's response was acceptable", "number"),
    Column("acceptable_low", "lower end of the interval of acceptable", "number"),
    Column("acceptable_high", "upper end of the interval of acceptable", "number"),
    Column("both_bad", "share of the system's answers that called both responses bad", "number"),
    Column("both_bad_low", "lower end of the interval of both_bad", "number"),
    Column("both_bad_high", "upper end of the interval of both_bad", "number"),
    Column("win_rate", "wins and half the ties, as a share of the system's answers", "number"),
    Column("win_rate_low", "lower end of the interval of win_rate", "number"),
    Column("win_rate_high", "upper end of the interval of win_rate", "number"),
)
JUDGES = (
    Column("run", "number of the run, as in the table of verdicts", "whole"),
    Column("judge", "the judge's title"),
    Column("kind", "of judge"),
    Column("kind_version", "version of that kind"),
    Column("judge_digest", "SHA-256 of kind, version, settings and model"),
    Column("settings", "JSON: the judge's settings", "json"),
    Column("model", "name of the language model, where the judge has one"),
    Column("orders", "in which responses were heard: ab as stored, ba the other way round, or both"),
    Column("samples", "verdicts for each unit and order", "whole"),
    Column("status", "of the run: done, or why it is not"),
    Column("verdicts", "how many there are, those that could not be read included", "whole"),
    Column("read", "how many of them could be read", "whole"),
    Column("spent_usd", "price of the calls of the run, in US dollars", "number"),
)


def item_fields(slots: list[str]) -> list[pa.Field]:
    """Of a campaign whose units have these slots."""
    prompt = described("prompt", SOUND, "sound of what the systems were asked in this turn, as it was imported")
    return [*fields_of(_ITEMS), prompt, *(field for slot in slots for field in _of_slot(slot))]


def _of_slot(slot: str) -> list[pa.Field]:
    texts = (
        Column(f"system_{slot}", f"whose response is in slot {slot}"),
        Column(f"take_{slot}", f"key of the response in slot {slot}"),
        Column(f"text_{slot}", f"text of the response in slot {slot} in this turn"),
    )
    sound = f"sound of the response in slot {slot} in this turn, as it was imported"
    return [*fields_of(texts), described(f"response_{slot}", SOUND, sound)]

"""Preference pairs in trl, which trains by them, and the agreement of the table of answers in krippendorff."""

from pathlib import Path

import pytest

from analytics.monitoring.agreement import agreement_so_far
from corpus.models import ResponseTurn
from tests.analytics.exporting.exported import written
from tests.analytics.saying import judge_says, people_say
from tests.contact.consumers.consumed import consumed
from tests.factories import RARE_A, RARE_B, make_campaign

pytestmark = pytest.mark.django_db

TRL = """
import json, sys
from datasets import load_dataset
from trl.data_utils import (
    extract_prompt, is_conversational, maybe_apply_chat_template, maybe_extract_prompt, unpair_preference_dataset
)
pairs = load_dataset("json", data_files=sys.argv[1], split="train", cache_dir=sys.argv[2])
first = pairs[0]
given = maybe_extract_prompt(first)
templated = maybe_apply_chat_template({it: first[it] for it in ("prompt", "chosen", "rejected")}, None)
asked = pairs.select_columns(["prompt", "chosen", "rejected"])
def talk(answer):
    return [{"role": "user", "content": first["prompt"]}, {"role": "assistant", "content": answer}]
implicit = extract_prompt({it: talk(first[it]) for it in ("chosen", "rejected")})
print(json.dumps([
    pairs.num_rows, is_conversational(first), given == first, templated, list(unpair_preference_dataset(asked)),
    implicit["prompt"][0]["content"], {name: str(kind.dtype) for name, kind in pairs.features.items()
                                       if name in ("run", "sample", "propensity")},
]))
"""
ALPHA = """
import json, sys, krippendorff, pandas as pd
answers = pd.read_parquet(sys.argv[1])
answers = answers[(answers.aspect == "overall") & (answers.annotator != "")]
table = answers.pivot(index="annotator", columns="unit", values="value")
codes = table.apply(lambda row: row.map({"a": 0, "b": 1}))
print(json.dumps(krippendorff.alpha(codes.to_numpy(float), level_of_measurement="nominal")))
"""


def test_trl_takes_preference_pairs_as_they_are(tmp_path: Path) -> None:
    """Its standard type with an explicit prompt: no function that maybe changes the shape has anything to change."""
    campaign = make_campaign(protocol="blind_overall", units=4, answers_per_unit=1)
    people_say(campaign, ["a", "b", "both_good", "a"])
    judge_says(campaign, {"ab": ["b", "b", "a", "unparsed"]})
    for turn in ResponseTurn.objects.select_related("response__system", "response__item"):
        ResponseTurn.objects.filter(pk=turn.pk).update(
            text=f"{turn.response.system.name} to {turn.response.item.key}"
        )
    preferences = written(campaign, "preferences", tmp_path, judges=True)

    rows, conversational, unchanged, templated, unpaired, prompt, types = consumed(
        TRL, preferences, tmp_path / "cache"
    )

    assert (rows, conversational, unchanged) == (6, False, True)
    texts = {"prompt": "Prompt of 0", "chosen": f"{RARE_A} to 0", "rejected": f"{RARE_B} to 0"}
    assert templated == texts
    assert prompt == texts["prompt"]
    assert len(unpaired) == 12
    assert unpaired[0] == {"prompt": texts["prompt"], "completion": texts["chosen"], "label": True}
    assert unpaired[6] == {"prompt": texts["prompt"], "completion": texts["rejected"], "label": False}
    assert types == {"run": "int64", "sample": "int64", "propensity": "null"}


def test_krippendorff_finds_the_alpha_of_the_card_in_the_table_of_answers(tmp_path: Path) -> None:
    """Of answers without ties, for which the typed-tie distance is the nominal one."""
    campaign = make_campaign(protocol="blind_overall", units=8, answers_per_unit=3)
    people_say(campaign, list("abababba"), list("abbbabba"), ["a", "b", None, "b", "b", None, "b", "a"])

    found = consumed(ALPHA, written(campaign, "parquet", tmp_path))

    [shown] = [it.found for it in agreement_so_far(campaign).aspects if it.aspect == "overall"]
    assert shown.estimate == pytest.approx(found, abs=1e-12)

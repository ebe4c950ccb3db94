import csv
import json
import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import product

import pytest

from protocols import SHIPPED
from protocols.fusion import FUSED, POLICIES, fuse, is_fusible, rating_min
from tests.cases import each
from tests.needs import needs
from tests.paths import PROJECT, SHARED_DATA

HCOT = SHARED_DATA / "hcot"
TRUTH = SHARED_DATA / "truth" / "hcot_fusion_on_human_dims.json"
real_data = needs(HCOT.exists(), "the HCoT release (../shared/data/hcot) is not at hand")

LABELS = ("1", "2", "both_good", "both_bad")
TRIPLES = list(product(LABELS, repeat=3))
COLUMNS = {
    "alg1_speakbench": "speakbench",
    "repo_speakbench_dominant_both_bad": "speakbench_dominant",
    "alg2_s2sarena": "s2s_arena",
    "table10_literal_cap": "s2s_arena_lenient",
    "vote_fallback_content": "majority_content",
    "vote_fallback_both_bad": "majority_both_bad",
    "vote_no_majority_is_wrong": "majority",
    "vote_numeric_mean": "numeric_mean",
}
PAIRS = {"1": (1, 0), "2": (0, 1), "both_good": (1, 1), "both_bad": (0, 0)}
TURNED = {"1": "2", "2": "1"}


def fused(policy: str, triple: tuple[str, ...]) -> str | None:
    return fuse(policy, **dict(zip(FUSED, triple, strict=True)))


def human_labels() -> Iterator[tuple[tuple[str, ...], str]]:
    for line in (HCOT / "hcot_speakbench.jsonl").read_text(encoding="utf-8").splitlines():
        label = json.loads(line)["label"]
        yield tuple(label[name] for name in FUSED), label["overall"]


@real_data
@pytest.mark.parametrize(("column", "policy"), COLUMNS.items())
def test_fusion_equals_the_truth_table(column: str, policy: str) -> None:
    with (HCOT / "fusion_truth_table.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))

    expected = {tuple(row[name] for name in FUSED): row[column] for row in rows}

    assert len(expected) == 64
    assert {triple: fused(policy, triple) or "none" for triple in expected} == expected


@real_data
@pytest.mark.parametrize(("column", "policy"), COLUMNS.items())
def test_fused_human_labels_are_as_often_the_human_overall_label_as_published(column: str, policy: str) -> None:
    published = json.loads(TRUTH.read_text(encoding="utf-8"))["reproduced"]["speakbench"][column]
    labels = list(human_labels())

    right = sum(fused(policy, triple) == overall for triple, overall in labels)

    assert (right, len(labels)) == (published["correct"], published["n"])


@real_data
def test_a_quarter_of_human_triples_has_no_majority() -> None:
    assert sum(fused("majority", triple) is None for triple, _overall in human_labels()) == 125


@each("policy", POLICIES)
def test_turning_the_order_turns_the_fused_label(policy: str) -> None:
    turned = {triple: fused(policy, tuple(TURNED.get(label, label) for label in triple)) for triple in TRIPLES}

    assert turned == {triple: TURNED.get(one := fused(policy, triple) or "", one) or None for triple in TRIPLES}


@each("policy", POLICIES)
def test_stored_labels_are_fused_like_those_of_the_screen(policy: str) -> None:
    stored = {"1": "a", "2": "b"}

    for triple in TRIPLES:
        one = fused(policy, triple)
        assert fused(policy, tuple(stored.get(label, label) for label in triple)) == stored.get(one or "", one)


@each("policy", POLICIES)
def test_a_policy_says_whether_it_always_decides(policy: str) -> None:
    assert all(fused(policy, triple) for triple in TRIPLES) == POLICIES[policy].always_decides


@each("policy", POLICIES)
def test_three_times_the_same_label_is_that_label(policy: str) -> None:
    assert [fused(policy, (label,) * 3) for label in LABELS] == list(LABELS)


def test_rating_min_is_the_elementwise_minimum_of_the_printed_pairs() -> None:
    printed = {
        (one, other): next(
            label
            for label, pair in PAIRS.items()
            if pair == tuple(map(min, zip(PAIRS[one], PAIRS[other], strict=True)))
        )
        for one, other in product(LABELS, repeat=2)
    }

    assert {pair: rating_min(*pair) for pair in printed} == printed


def test_a_mean_fallback_decides_only_where_no_label_has_a_majority() -> None:
    for triple in TRIPLES:
        assert fused("majority_numeric_mean", triple) == (fused("majority", triple) or fused("numeric_mean", triple))


@each("labels", [("1", "tie", "2"), ("1", "b", "2"), ("", "1", "1")])
def test_what_is_no_typed_tie_of_one_frame_is_not_fused(labels: tuple[str, ...]) -> None:
    with pytest.raises(ValueError, match="typed ties of one frame"):
        fused("speakbench", labels)


def test_protocols_are_fusible_that_ask_for_the_dimensions_and_the_whole() -> None:
    assert [name for name, protocol in SHIPPED.items() if is_fusible(protocol)] == ["hcot", "hcot_guided"]


def test_a_protocol_that_asks_for_more_is_not_fusible() -> None:
    hcot = SHIPPED["hcot"]

    assert not is_fusible(replace(hcot, aspects=(*hcot.aspects, SHIPPED["arena"].aspect("reason"))))


def test_a_protocol_that_lets_a_dimension_out_is_not_fusible() -> None:
    content, *others = SHIPPED["hcot"].aspects

    assert not is_fusible(replace(SHIPPED["hcot"], aspects=(replace(content, required=False), *others)))


def test_reference_page_has_every_policy_once() -> None:
    page = (PROJECT / "docs" / "reference" / "fusion.md").read_text(encoding="utf-8")

    assert re.findall(r"^\| `(\w+)` \|", page, re.MULTILINE) == list(POLICIES)

from itertools import permutations, product

from judges.kinds.audio_models.votes import Combined, combined, mean_label
from protocols.fusion import fuse, more_than_half
from tests.cases import each

TYPED = ("1", "2", "both_good", "both_bad")
NAMES = ("content", "voice_quality", "paralinguistics")
TURNED = {"1": "2", "2": "1"}


@each(
    "votes, fallback, expected",
    [
        (("1", "1", "2"), "content", ("1", "majority")),
        (("both_bad", "1", "both_bad"), "content", ("both_bad", "majority")),
        (("1", "2", "both_good"), "content", ("1", "content")),
        (("1", "2", "both_good"), "both_bad", ("both_bad", "both_bad")),
        (("1", "2", "both_good"), "mean", ("both_good", "mean")),
        (("1", "2", "both_good"), "none", (None, "none")),
        (("1", "both_good", "both_bad"), "mean", ("1", "mean")),
    ],
)
def test_majority_or_the_fallback_that_was_named(
    votes: tuple[str, ...], fallback: str, expected: tuple[str | None, str]
) -> None:
    said = dict(zip(NAMES, votes, strict=True))

    assert combined(said, rule="majority", fallback=fallback, offered=TYPED) == Combined(*expected)  # type: ignore[arg-type]


def test_a_missing_vote_is_no_vote() -> None:
    two = {"voice_quality": "1", "paralinguistics": "2"}

    assert combined(two, rule="majority", fallback="content", offered=TYPED).label is None
    assert combined(two | {"paralinguistics": "1"}, rule="majority", fallback="none", offered=TYPED).label == "1"
    assert combined({"content": "1"}, rule="mean", fallback="none", offered=TYPED) == Combined(
        None, "fewer than two votes"
    )


def test_mean_of_typed_ties_needs_a_tie_to_take_its_type_from() -> None:
    assert mean_label(["1", "2"], TYPED) is None
    assert mean_label(["both_good", "both_bad"], TYPED) is None
    assert mean_label(["both_good", "both_bad", "both_bad"], TYPED) == "both_bad"
    assert mean_label([], TYPED) is None


def test_no_rule_depends_on_which_is_first_or_on_the_order_of_votes() -> None:
    for votes in product(TYPED, repeat=3):
        turned = [TURNED.get(vote, vote) for vote in votes]
        for rule in (more_than_half, lambda of: mean_label(of, TYPED)):
            label = rule(list(votes))
            assert rule(turned) == TURNED.get(label or "", label)
            assert {rule(list(order)) for order in permutations(votes)} == {label}


@each("votes", list(product(TYPED, repeat=3)))
def test_three_typed_ties_are_fused_as_the_policies_have_it(votes: tuple[str, ...]) -> None:
    """The mean has no label here where it would have to guess the type of a tie; elsewhere it is the policy's."""
    said = dict(zip(NAMES, votes, strict=True))

    def label(**rule: str) -> str | None:
        return combined(said, offered=TYPED, **rule).label  # type: ignore[arg-type]

    assert label(rule="majority", fallback="none") == fuse("majority", **said)
    assert label(rule="majority", fallback="content") == fuse("majority_content", **said)
    assert label(rule="majority", fallback="both_bad") == fuse("majority_both_bad", **said)
    for fallback, policy in (("none", "numeric_mean"), ("mean", "majority_numeric_mean")):
        found = label(rule="mean" if fallback == "none" else "majority", fallback=fallback)
        assert found in (None, fuse(policy, **said))

"""The votes of an arena, as its board gives them, brought in again."""

from pathlib import Path

import pytest
from django.test import Client
from django.urls import reverse

from annotation.models import Reason
from annotation.review.exclusions import Decider, exclude_answers
from arena.pairing.drawing import next_pair
from arena.voting.votes import vote_rows
from campaigns.models import Role
from corpus.imports.uploads.checking import check_upload, write_checked
from corpus.imports.writing import Destination
from corpus.models import Label
from tests.arena.arenas import make_open_arena, vote_on
from tests.cases import each
from tests.factories import make_member

pytestmark = pytest.mark.django_db
OUTCOMES = {"tie": "tie", "tie (bothbad)": "both_bad"}


def quiet(done: int, total: int, note: str) -> None:
    """Nobody watches."""


@each("form, into_its_own", [("csv", False), ("jsonl", False), ("csv", True), ("jsonl", True)], undo=True)
def test_votes_come_in_as_they_were_exported(
    client: Client, tmp_path: Path, form: str, *, into_its_own: bool
) -> None:
    arena = make_open_arena(protocol="arena_typed_ties")
    drawn = []
    for value in ("1", "2", "both_good", "both_bad", "1", "2"):
        assignment = next_pair(arena, make_member(arena.campaign))
        assert assignment
        vote_on(assignment, value, reason="=So it is.")
        drawn.append(assignment)
    exclude_answers(drawn[:1], reason=Reason.SPEED, decider=Decider(rule="too fast"))
    user = make_member(arena.campaign, Role.RESEARCHER)
    client.force_login(user)
    path = tmp_path / f"votes.{form}"
    path.write_bytes(b"".join(client.get(reverse("arena-votes", args=[arena.campaign.slug, form]))))
    name = arena.campaign.dataset.name if into_its_own else "Zqxv"
    destination = Destination(name, "Votes", arena.campaign.dataset.created_by)

    checked = check_upload(path, None, dataset_name=name, label_set_name="Votes", progress=quiet)
    assert checked.errors == []
    assert str(checked.report()["tool"]["told"]).startswith("Votes of an arena: 6 votes of 6 voters on")
    dataset = write_checked(checked, None, destination, progress=quiet)

    labels = Label.objects.filter(annotation__label_set__dataset=dataset).select_related(
        "annotation__label_set", "annotation__unit__a__system", "annotation__unit__b__system"
    )
    known = {(it.annotation.label_set.rater, it.aspect): it for it in labels}
    rows = list(vote_rows(arena.campaign))
    assert len(labels) == 2 * len(rows)
    for row in rows:
        label = known[row["judge"], row["aspect"]]
        unit, annotation = label.annotation.unit, label.annotation
        won = {"a": unit.a, "b": unit.b}.get(label.value)
        said = row[row["winner"]] if row["winner"] in row else OUTCOMES[row["winner"]]
        assert (won.system.name if won else label.value) == said
        heard = [{"a": unit.a, "b": unit.b}[slot].system.name for slot in annotation.order]
        assert heard == [row["model_a"], row["model_b"]]
        assert annotation.excluded == row["left_out_because"]
        assert known[row["judge"], "reason"].value == "=So it is."

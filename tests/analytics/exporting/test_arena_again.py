"""An arena goes out, everything is deleted, and it comes in again: boards, counts, and the chance of every pair."""

import csv
import hashlib
import json
import random
import shutil
from dataclasses import asdict
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile
from django.core.management import call_command
from django.db import connection

from analytics.data.votes.table import ALL_RATERS, Selection, tally
from analytics.exports.making import ExportRefused, write_export
from analytics.exports.reasons import TIES
from analytics.exports.request import Wanted
from analytics.exports.source import Source
from annotation.models import Answer, Assignment
from annotation.review.exclusions import Decider, exclude_answers
from arena.board.name_locks import hide_names
from arena.models import Draw
from arena.standings.choices import Settings
from arena.standings.refresh import rebuild
from campaigns.launch.lifecycle import close_campaign
from campaigns.models import Campaign, Membership
from corpus.clips.storage import examine_clip
from corpus.models import Clip, ImportedAnnotation, LabelSet, ResponseTurn
from tests.analytics.exporting.exported import board_at_one_look, made_export, quiet, written
from tests.arena.arenas import draw_and_vote, make_open_arena
from tests.factories import UserFactory, make_member

pytestmark = pytest.mark.django_db

N_VOTES, N_VOTERS = 60, 6
SAID = ("1", "1", "2", "2", "both_good", "both_bad")
#: Every way to rate votes, and with what was left out.
BOARDS: tuple[dict[str, Any], ...] = (
    {}, {"errors": "votes"}, {"errors": "bootstrap"}, {"ties": "decisive"}, {"ties": "davidson"}, {"method": "elo"},
    {"excluded": True}, {"method": "contextual"}, {"method": "contextual", "ties": "decisive"},
)  # fmt: skip
TABLES = ("csv", "jsonl", "parquet", "battles", "preferences")
#: Those of other tools, which do not name the campaign: their boards have intervals for one look.
WITHOUT_CAMPAIGN = ("battles", "preferences")
#: Annotator and key of the unit: the chance with which this pair was drawn for them.
Chances = dict[tuple[str, str], float]


def tone(n: int) -> bytes:
    """Each of another length and loudness."""
    file, rate = BytesIO(), 16_000
    wave = (0.05 + 0.02 * (n % 7)) * np.sin(2 * np.pi * (100 + 7 * n) * np.arange(9_000 + 500 * (n % 11)) / rate)
    soundfile.write(file, wave.astype(np.float32), rate, format="WAV")
    return file.getvalue()


def make_clips_heard() -> None:
    """Real sound for every clip, with what is measured on it, and texts of several lengths."""
    for n, clip in enumerate(Clip.objects.order_by("pk")):
        content = tone(n)
        found = examine_clip(BytesIO(content), name="", sha256=hashlib.sha256(content).hexdigest())
        Clip.objects.filter(pk=clip.pk).update(sha256=found.sha256, bytes=found.bytes, **asdict(found.audit))
        clip.refresh_from_db()
        clip.path.parent.mkdir(parents=True, exist_ok=True)
        clip.path.write_bytes(content)
    for n, turn in enumerate(ResponseTurn.objects.order_by("pk")):
        ResponseTurn.objects.filter(pk=turn.pk).update(text="word " * (2 + n % 5))


@pytest.fixture
def campaign(media_root: Path) -> Campaign:
    """Pairs as they were drawn, votes as they are given, under hidden names until it closed; two were left out."""
    rng = random.Random(8)
    arena = make_open_arena(systems=("Aardwolf", "Binturong", "Cacomistle", "Dugong"), items=6)
    make_clips_heard()
    campaign = arena.campaign
    hide_names(campaign, user=campaign.created_by, settings=Settings("overall"))
    people = [make_member(campaign) for _ in range(N_VOTERS)]
    for n in range(N_VOTES):
        draw_and_vote(arena, people[n % N_VOTERS], rng.choice(SAID))
    exclude_answers(Assignment.objects.order_by("reserved_at")[3:5], reason="speed", decider=Decider(rule="too fast"))
    with pytest.raises(ExportRefused):
        made_export(campaign, "hugging-face")
    close_campaign(campaign)
    return Campaign.objects.get(pk=campaign.pk)


def empty(media_root: Path) -> None:
    """Delete every row and every sound. PostgreSQL empties no table about which it has still to check something."""
    connection.check_constraints()
    call_command("flush", interactive=False, verbosity=0)
    shutil.rmtree(media_root)
    assert not Campaign.objects.exists()


def boards_of(subject: Campaign | LabelSet, by: str = "", boards: tuple[dict[str, Any], ...] = BOARDS) -> list[Any]:
    """Ratings, ends of intervals, ranks, differences, votes of each pair."""
    return [rebuild(subject, Settings("overall", by=by, **board)).table for board in boards]


def counts_of(subject: Campaign | LabelSet, by: str = "") -> tuple[tuple[str, ...], list[Any]]:
    """How often each ordered pair had each of four outcomes."""
    counts = tally(subject, Selection("overall", by=by)).counts
    return counts.systems, counts.table.tolist()


def chances_of(campaign: Campaign) -> Chances:
    names = dict(Membership.objects.filter(campaign=campaign).values_list("user", "pseudonym"))
    rows = Draw.objects.values_list("assignment__annotator", "assignment__campaign_unit__unit__key", "propensity")
    return {(names[who], unit): chance for who, unit, chance in rows}


def imported_chances() -> Chances:
    rows = ImportedAnnotation.objects.values_list("label_set__rater", "unit__key", "given__propensity")
    return {(who, unit): chance for who, unit, chance in rows}


def test_arena_comes_into_an_empty_installation_with_boards_counts_and_chances(
    campaign: Campaign, media_root: Path, tmp_path: Path
) -> None:
    path = written(campaign, "hugging-face", tmp_path, more=("excluded",), text=True)
    boards, counts, chances = boards_of(campaign), counts_of(campaign), chances_of(campaign)
    empty(media_root)

    call_command("import_study", path, dataset="Moved", user=UserFactory(is_researcher=True).username)

    labels = LabelSet.objects.filter(name="People").first()
    assert labels
    for board, ours, theirs in zip(BOARDS, boards, boards_of(labels, ALL_RATERS), strict=True):
        assert theirs == ours, board
    assert counts_of(labels, ALL_RATERS) == counts
    assert len(chances) == N_VOTES
    assert imported_chances() == chances
    assert np.sum(counts[1]) == N_VOTES - 2
    assert [it["islands"][0]["effects"] for it in boards[-2:]] != [[], []]


@pytest.mark.parametrize("form", TABLES)
def test_votes_of_an_arena_come_in_from_every_table(
    campaign: Campaign, media_root: Path, tmp_path: Path, form: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Without sound there is no context; preference pairs have no ties, and say so."""
    ways = tuple(it for it in BOARDS if it.get("method") != "contextual")
    if form == "preferences":
        ways = (
            {"ties": "decisive"},
            {"ties": "decisive", "errors": "bootstrap"},
            {"ties": "decisive", "excluded": True},
        )
    path = written(campaign, form, tmp_path, more=("excluded",))
    boards, counts, chances = boards_of(campaign, boards=ways), counts_of(campaign), chances_of(campaign)
    if form in WITHOUT_CAMPAIGN:
        boards = [board_at_one_look(campaign, Settings("overall", **way)) for way in ways]
    empty(media_root)
    user = UserFactory(is_researcher=True)

    call_command("import_dataset", path, dataset="Moved", labels="People", without_audio=True, user=user.username)

    labels = LabelSet.objects.filter(name="People").first()
    assert labels
    theirs = boards_of(labels, ALL_RATERS, ways)
    assert [it["islands"] for it in theirs] == [it["islands"] for it in boards]
    assert imported_chances().items() <= chances.items()
    if form == "preferences":
        assert "do not carry ties" in capsys.readouterr().out
        return
    assert theirs == boards
    assert counts_of(labels, ALL_RATERS) == counts
    assert imported_chances() == chances


def test_every_vote_has_its_chance_in_the_table_of_answers(campaign: Campaign, tmp_path: Path) -> None:
    path = written(campaign, "csv", tmp_path, more=("excluded",))

    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))

    assert {(row["annotator"], row["unit"]): float(row["propensity"]) for row in rows} == chances_of(campaign)
    assert len(rows) == N_VOTES


def test_preference_pairs_of_an_arena_say_how_many_ties_they_are_without(campaign: Campaign, tmp_path: Path) -> None:
    source, path = Source(campaign, Wanted(more=("excluded",)), quiet), tmp_path / "file"

    n = write_export(source, "preferences", path)

    ties = Answer.objects.filter(value__in=("both_good", "both_bad")).count()
    assert ties > 0
    assert source.left_out[TIES()] == ties
    assert n == N_VOTES - ties
    values = [json.loads(line)["value"] for line in path.read_text("utf-8").splitlines()]
    assert set(values) == {"a", "b"}

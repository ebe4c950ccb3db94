"""The rehearsal through the real functions: who is caught, and that nothing real is touched and nothing is left."""

import json
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.utils import timezone
from pytest_django import Settings

from accounts.models import User
from analytics.models import QualityFlag, Rehearsal
from analytics.simulation.rehearsal.report import Report, by_kind, lines
from analytics.simulation.rehearsal.stage import NoRehearsal, copy_of, remove, remove_abandoned
from analytics.simulation.session import Caught
from annotation.models import Annotation, Assignment
from campaigns.models import Campaign, QualityRules
from campaigns.quality.rule import Action, Rule
from corpus.models import Clip, Dataset
from tests.analytics.quality.answering import RIGHT, answer_gold, answer_study, campaign_with_gold
from tests.factories import UserFactory, make_member

pytestmark = [pytest.mark.django_db, pytest.mark.databases]


@pytest.fixture
def folder(tmp_path: Path, settings: Settings) -> Path:
    settings.DATA_DIR = tmp_path
    return tmp_path / "rehearsals"


def rehearse(*arguments: str, each: int = 1, units: int = 30) -> None:
    call_command("rehearse", *arguments, f"--each={each}", f"--units={units}")


def document(folder: Path) -> dict[str, object]:
    [found] = folder.glob("*.json")
    return json.loads(found.read_text())


@contextmanager
def looking_at(copy: Path) -> Iterator[None]:
    """On SQLite what is kept is kept in a copy of the database."""
    if connection.vendor != "sqlite":
        yield
        return
    connection.close()
    name, connection.settings_dict["NAME"] = connection.settings_dict["NAME"], str(copy)
    yield
    connection.close()
    connection.settings_dict["NAME"] = name


def rows_there() -> list[int]:
    models = (Campaign, Dataset, Clip, Annotation, Assignment, User, QualityFlag, Rehearsal, QualityRules)
    return [model.objects.count() for model in models]


@pytest.mark.django_db(transaction=True)
def test_rehearsal_without_a_campaign_makes_one_and_leaves_nothing(folder: Path) -> None:
    rehearse("--seed=4")

    told = document(folder)
    caught = {kind["kind"]: kind["caught"] for kind in told["kinds"]}
    assert caught["honest"] == 0
    assert [caught[kind] for kind in ("always-left", "straight-liner", "copy-paste")] == [1, 1, 1]
    assert set(told["silent"]) <= {"trap", "repeat", "agreement", "origin"}
    assert rows_there() == [0] * 9


@pytest.mark.django_db(transaction=True)
def test_rehearsal_of_a_campaign_touches_none_of_its_answers(folder: Path) -> None:
    campaign = campaign_with_gold(6, units=14, check_every=2)
    annotator = make_member(campaign)
    answer_study(campaign, annotator, 3)
    answer_gold(campaign, annotator, RIGHT)
    before = (rows_there(), list(Annotation.objects.values()), list(Campaign.objects.values()))

    rehearse("--campaign", campaign.slug, units=12)

    assert (rows_there(), list(Annotation.objects.values()), list(Campaign.objects.values())) == before
    assert document(folder)["campaign"] == campaign.slug


@pytest.mark.django_db(transaction=True)
def test_kept_rehearsal_can_be_looked_at_and_is_marked(folder: Path) -> None:
    rehearse("--keep", units=4)

    with looking_at(folder / "the-demos-script-0.sqlite3"):
        campaign = Campaign.objects.get()
        assert campaign.rehearsal.is_kept
        assert Annotation.objects.count() == 6 * 4
        remove(campaign)
    assert rows_there() == [0] * 9


def test_copy_has_the_rules_the_checks_and_none_of_the_people() -> None:
    campaign = campaign_with_gold(3)
    make_member(campaign)
    rules = {"gold": Rule(0.3, 4, Action.EXCLUDE).document()}
    QualityRules.objects.create(campaign=campaign, rules=rules, made_by=campaign.created_by)

    copy = copy_of(campaign, seats=60)

    columns = ("unit", "position", "purpose", "expected")
    assert list(copy.campaign_units.values(*columns)) == list(campaign.campaign_units.values(*columns))
    assert copy.quality_rules.get().rules == rules
    assert (copy.memberships.count(), copy.answers_per_unit, copy.status) == (0, 60, "open")


def test_real_campaign_is_never_removed() -> None:
    campaign = campaign_with_gold()

    with pytest.raises(NoRehearsal):
        remove(campaign)
    assert Campaign.objects.get() == campaign


def test_what_a_kill_left_is_removed_later_and_what_is_kept_is_not() -> None:
    campaign = campaign_with_gold()
    left, kept, running = (copy_of(campaign, seats=2) for _ in range(3))
    long_ago = timezone.now() - timedelta(hours=7)
    Rehearsal.objects.filter(campaign__in=[left, kept]).update(made_at=long_ago)
    Rehearsal.objects.filter(campaign=kept).update(is_kept=True)

    assert remove_abandoned() == 1
    assert set(Campaign.objects.all()) == {campaign, kept, running}


def test_member_of_a_rehearsal_with_an_account_of_their_own_keeps_it() -> None:
    copy = copy_of(campaign_with_gold(), seats=2)
    person = UserFactory()
    copy.memberships.create(user=person, role="annotator", pseudonym="A1")

    remove(copy)

    assert User.objects.filter(pk=person.pk).exists()


@pytest.mark.django_db(transaction=True)
@pytest.mark.skipif(connection.vendor != "sqlite", reason="only SQLite has a single writer, and is copied")
def test_rehearsal_writes_nothing_into_the_sqlite_database_that_others_wait_for(folder: Path) -> None:
    campaign = campaign_with_gold(2, units=4)
    connection.close()
    other = sqlite3.connect(connection.settings_dict["NAME"], isolation_level=None)
    other.execute("BEGIN IMMEDIATE")  # whoever wants to write now waits until the rehearsal is over, or fails

    rehearse("--campaign", campaign.slug, units=2)

    other.execute("ROLLBACK")
    other.close()
    assert document(folder)["campaign"] == campaign.slug
    assert list(folder.parent.glob(".rehearsal-*")) == []


@pytest.mark.django_db(transaction=True)
@pytest.mark.skipif(connection.vendor != "sqlite", reason="only SQLite is copied")
def test_rehearsal_says_how_much_is_missing_on_the_disk_and_leaves_nothing(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    campaign = campaign_with_gold(2, units=4)
    monkeypatch.setattr(shutil, "disk_usage", lambda _path: shutil._ntuple_diskusage(10**9, 10**9 - 2**20, 2**20))

    with pytest.raises(CommandError, match=r"works on a copy of the database, for which 2\d\d MB are missing"):
        rehearse("--campaign", campaign.slug, units=2)

    assert list(folder.parent.glob(".rehearsal-*")) == []
    assert not folder.exists() or list(folder.iterdir()) == []
    assert Campaign.objects.get().pk == campaign.pk


@pytest.mark.django_db(transaction=True)
def test_campaign_that_is_not_there_is_said(folder: Path) -> None:
    with pytest.raises(CommandError, match="no campaign 'nowhere'"):
        rehearse("--campaign", "nowhere")


@pytest.mark.django_db(transaction=True)
def test_listening_rule_holds_for_simulated_people_too(folder: Path) -> None:
    campaign = campaign_with_gold(2, units=8, listening="full")

    rehearse("--campaign", campaign.slug, units=4)

    assert document(folder)["refused"] > 0


def report(caught: list[Caught], **fields: object) -> Report:
    return Report(**{"campaign": "c", "seed": 1, "units": 100, "kinds": by_kind(caught), **fields})


def test_report_says_who_was_caught_by_what_and_how_soon() -> None:
    kinds = by_kind([Caught("random", {"gold": 30, "checks": 20}), Caught("random", {"gold": 40}), Caught("honest")])

    assert [(kind.kind, kind.n, kind.caught, kind.after, kind.by) for kind in kinds] == [
        ("honest", 1, 0, None, {}),
        ("random", 2, 2, 30, {"gold": 2, "checks": 1}),
    ]


def test_report_holds_at_nine_of_ten_and_at_one_honest() -> None:
    def panel(bad: int, honest: int) -> list[Caught]:
        flagged = {"gold": 5}
        return [Caught("random", flagged if n < bad else {}) for n in range(10)] + [
            Caught("honest", flagged if n < honest else {}) for n in range(10)
        ]

    held = {(bad, honest): report(panel(bad, honest)).holds for bad in (8, 9) for honest in (1, 2)}

    assert held == {(8, 1): False, (8, 2): False, (9, 1): True, (9, 2): False}


def test_report_says_what_to_do() -> None:
    told = "\n".join(
        lines(
            report(
                [Caught("honest", {"side": 9}), Caught("random")],
                silent=("trap",),
                sessions=({"honest": 0, "random": 8}, {"honest": 1, "random": 10}),
            )
        )
    )

    assert "- 1 of 1 honest people were flagged, by side: tolerate more there." in told
    assert "- Only 0 of 1 of the kind random were caught: add gold units or traps." in told
    assert "- Traps failed had nothing to go by: it needs spoken traps." in told
    assert "random                 8     9.0      10" in told

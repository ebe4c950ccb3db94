"""The pages of all kinds of reports over 100,000 answers by 50 annotators and 6 judges' runs, on SQLite.

    python -m benchmarks.much_data.dashboard [blind_overall | hcot | arena_rubric] [answers]

Either 33,334 units with three people's overall label each (`blind_overall`), or 8,334 units with three people's four
labels each (`hcot`), or `blind_overall` and beside it as many checks of a rubric by the same people and judges
(`arena_rubric`: that kind alone); ten
systems, 500 items in eight categories, a hundred repeats. Each run has a verdict on every
unit, in one order. Of every kind that suits the protocol, two requests are timed through all of Django: the one that
computes its figures, reading everything from a database of its own (10 s are wanted), and the page once they are kept
(1 s is wanted), without its pictures. By the clock, beside it by the processor.
"""

import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.much_data.standings import prepare
from benchmarks.timing import on_one_thread
from stats.arrays import Ints

if TYPE_CHECKING:
    from campaigns.models import Campaign, CampaignUnit

PEOPLE, RUNS, SYSTEMS, ITEMS, CATEGORIES, SEATS, REPEATS = 50, 6, 10, 500, 8, 3, 100
LABELS, YES_NO = np.array(["a", "b", "both_good", "both_bad"]), np.array(["yes", "no"])
FIRST_S, KEPT_S = 10.0, 1.0
BOTH = "arena_rubric"
AT_ONCE = 5_000


def main() -> None:
    on_one_thread("benchmarks.much_data.dashboard")
    protocol = sys.argv[1] if len(sys.argv) > 1 else "blind_overall"
    answers = int(sys.argv[2]) if len(sys.argv) > 2 else 100_000
    with tempfile.TemporaryDirectory() as folder:
        prepare(Path(folder))
        report(protocol, answers)


def report(protocol: str, answers: int) -> None:
    from django.core.management import call_command  # noqa: PLC0415 - after the setup
    from django.db import connection  # noqa: PLC0415
    from django.test import Client  # noqa: PLC0415
    from django.urls import reverse  # noqa: PLC0415

    from analytics.reports.kinds import KINDS  # noqa: PLC0415
    from config.serving.gc_tuning import freeze_objects  # noqa: PLC0415

    begin = time.perf_counter()
    campaign = fill("blind_overall" if protocol == BOTH else protocol, answers)
    if protocol == BOTH:
        fill_rubric(campaign, answers)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
    n = campaign.campaign_units.count()
    print(f"{protocol}: {answers:,} answers on {n:,} units, written in {time.perf_counter() - begin:.0f} s")
    call_command("collectstatic", interactive=False, verbosity=0)
    freeze_objects()  # as the server does at its start: else the collector looks through all that the filling left
    client = Client(SERVER_NAME="localhost")
    client.force_login(campaign.created_by)
    wanted = [KINDS[BOTH]] if protocol == BOTH else KINDS.values()
    suited = [kind for kind in wanted if not kind.why_not(campaign)]
    for kind in suited:
        asked = [campaign.slug, kind.name]
        line(f"{kind.name}, first", partial(fetched, client, reverse("report-figures", args=asked)), FIRST_S)
        line(f"{kind.name}, kept", partial(fetched, client, reverse("report", args=asked)), KEPT_S)


def fetched(client: Any, address: str) -> None:
    response = client.get(address, headers={"HX-Request": "true"})
    if response.status_code != 200 or b'<section class="figure' not in response.content:
        raise RuntimeError(f"{address} came as {response.status_code}, or without figures")


def line(name: str, work: Callable[[], object], wanted: float) -> None:
    wall, processor = time.perf_counter(), time.process_time()
    work()
    took, worked = time.perf_counter() - wall, time.process_time() - processor
    print(
        f"  {name:<28} {took:7.2f} s   ({worked:.2f} s)   {'met' if took < wanted else 'MISSED'} ({wanted:g} s)",
        flush=True,
    )


def fill(protocol: str, answers: int, *, seats: int = SEATS, runs: int = RUNS) -> "Campaign":
    """The campaign, written directly into the tables."""
    from accounts.models import User  # noqa: PLC0415 - after the setup
    from campaigns.launch.lifecycle import create_campaign  # noqa: PLC0415
    from campaigns.models import CampaignUnit, Membership  # noqa: PLC0415
    from corpus.models import Dataset  # noqa: PLC0415
    from protocols import SHIPPED  # noqa: PLC0415

    aspects = [it.name for it in SHIPPED[protocol].aspects]
    n = -(-answers // (seats * len(aspects)))
    owner = User.objects.create_user(username="owner")
    dataset = Dataset.objects.create(name="Dashboard", slug="dashboard", created_by=owner)
    campaign = create_campaign(dataset, title="Dashboard", protocol=SHIPPED[protocol], units=[], user=owner)
    people = User.objects.bulk_create(User(username=f"person{at}") for at in range(PEOPLE))
    Membership.objects.bulk_create(
        Membership(campaign=campaign, user=user, role="annotator", pseudonym=f"A{at:02}")
        for at, user in enumerate(people)
    )
    units = write_units(campaign, n)
    rng = np.random.default_rng(1)
    truth = {name: rng.choice(4, n, p=[0.35, 0.35, 0.1, 0.2]) for name in aspects}
    rows = CampaignUnit.objects.bulk_create(
        (CampaignUnit(campaign=campaign, unit=unit, position=at) for at, unit in enumerate(units)), AT_ONCE
    )
    write_answers(campaign, rows, people, truth, rng, seats=seats)
    again = CampaignUnit.objects.bulk_create(
        CampaignUnit(campaign=campaign, unit=unit, position=n + at, purpose="repeat")
        for at, unit in enumerate(units[:REPEATS])
    )
    write_answers(campaign, again, people, {name: codes[:REPEATS] for name, codes in truth.items()}, rng, seats=1)
    for at in range(runs):
        write_run(campaign, at, units, truth, rng)
    return campaign


def fill_rubric(arena: "Campaign", answers: int) -> None:
    """A campaign over the same dataset in which responses are checked one by one."""
    from campaigns.launch.lifecycle import create_campaign  # noqa: PLC0415 - after the setup
    from campaigns.models import CampaignUnit, Membership  # noqa: PLC0415
    from corpus.models import Response, Unit  # noqa: PLC0415
    from protocols import SHIPPED  # noqa: PLC0415

    protocol, owner = SHIPPED["rubric"], arena.created_by
    names = [aspect.name for aspect in protocol.aspects]
    n = -(-answers // (SEATS * len(names)))
    responses = Response.objects.filter(item__dataset=arena.dataset).select_related("item").order_by("pk")[:n]
    units = Unit.objects.bulk_create(
        (Unit(dataset=arena.dataset, item=it.item, kind="single", key=f"s{it.pk}", a=it) for it in responses), AT_ONCE
    )
    campaign = create_campaign(arena.dataset, title="Rubric", protocol=protocol, units=[], user=owner)
    people = [it.user for it in arena.memberships.filter(role="annotator").select_related("user")]
    Membership.objects.bulk_create(
        Membership(campaign=campaign, user=user, role="annotator", pseudonym=f"A{at:02}")
        for at, user in enumerate(people)
    )
    rng = np.random.default_rng(2)
    truth = {name: rng.choice(2, len(units)) for name in names}
    rows = CampaignUnit.objects.bulk_create(
        (CampaignUnit(campaign=campaign, unit=unit, position=at) for at, unit in enumerate(units)), AT_ONCE
    )
    write_answers(campaign, rows, people, truth, rng, labels=YES_NO)
    for at in range(RUNS):
        write_run(campaign, RUNS + at, units, truth, rng, labels=YES_NO)


def write_units(campaign: "Campaign", n: int) -> list[Any]:
    from corpus.models import Item, Response, System, Unit  # noqa: PLC0415

    dataset, takes = campaign.dataset, -(-n // (ITEMS * SYSTEMS * (SYSTEMS - 1) // 2))
    systems = System.objects.bulk_create(System(dataset=dataset, name=f"System {at:02}") for at in range(SYSTEMS))
    items = Item.objects.bulk_create(
        Item(dataset=dataset, key=f"item {at}", category=f"category {at % CATEGORIES}") for at in range(ITEMS)
    )
    responses = Response.objects.bulk_create(
        (
            Response(item=item, system=system, key=f"{item.key}/{system.name}/{take}")
            for item in items
            for take in range(takes)
            for system in systems
        ),
        AT_ONCE,
    )
    blocks = [responses[at : at + SYSTEMS] for at in range(0, len(responses), SYSTEMS)]
    pairs = ((a, b) for block in blocks for a, b in combinations(block, 2))
    made = (
        Unit(dataset=dataset, item=a.item, kind="pair", key=str(at), a=a, b=b)
        for at, (a, b) in zip(range(n), pairs, strict=False)
    )
    return Unit.objects.bulk_create(made, AT_ONCE)


def heard(truth: Ints, knows: float, rng: np.random.Generator, labels: "np.ndarray[Any, Any]" = LABELS) -> list[str]:
    """What somebody says who knows the label with this probability, and else guesses."""
    guess = rng.integers(0, len(labels), len(truth))
    said: list[str] = labels[np.where(rng.random(len(truth)) < knows, truth, guess)].tolist()
    return said


def write_answers(
    campaign: "Campaign",
    rows: "list[CampaignUnit]",
    people: list[Any],
    truth: dict[str, Ints],
    rng: np.random.Generator,
    *,
    seats: int = SEATS,
    labels: "np.ndarray[Any, Any]" = LABELS,
) -> None:
    from django.utils import timezone  # noqa: PLC0415

    from annotation.models import Annotation, Answer, Assignment  # noqa: PLC0415

    now = timezone.now()
    for seat in range(seats):
        made = [
            Assignment(
                campaign=campaign, campaign_unit=row, annotator=people[(7 * at + 13 * seat) % len(people)],
                order="ab" if at % 2 else "ba", seat=seat + 1, status="answered", reserved_at=now, shown_at=now,
                expires_at=now,
            )
            for at, row in enumerate(rows)
        ]  # fmt: skip
        Assignment.objects.bulk_create(made, AT_ONCE)
        told = Annotation.objects.bulk_create((Annotation(assignment=it, shown_at=now) for it in made), AT_ONCE)
        for aspect, codes in truth.items():
            said = heard(codes, 0.7, rng, labels)
            Answer.objects.bulk_create(
                (Answer(annotation=it, aspect=aspect, value=value) for it, value in zip(told, said, strict=True)),
                AT_ONCE,
            )


def write_run(
    campaign: "Campaign",
    at: int,
    units: list[Any],
    truth: dict[str, Ints],
    rng: np.random.Generator,
    labels: "np.ndarray[Any, Any]" = LABELS,
) -> None:
    from django.utils import timezone  # noqa: PLC0415

    from judges.models import Judge, Run, Verdict, VerdictAnswer  # noqa: PLC0415

    judge = Judge.objects.create(
        title=f"Judge {at}", kind="random", kind_version="1", digest=str(at), created_by=campaign.created_by
    )
    now = timezone.now()
    run = Run.objects.create(
        campaign=campaign, judge=judge, started_by=campaign.created_by, status="done", orders="ab",
        finished_at=now,
    )  # fmt: skip
    rows = Verdict.objects.bulk_create(
        (Verdict(run=run, unit=unit, order="ab", status="ok", judged_at=now, seconds=1.0) for unit in units), AT_ONCE
    )
    for aspect, codes in truth.items():
        said = heard(codes, 0.3 + 0.1 * (at % RUNS), rng, labels)
        VerdictAnswer.objects.bulk_create(
            (VerdictAnswer(verdict=row, aspect=aspect, value=value) for row, value in zip(rows, said, strict=True)),
            AT_ONCE,
        )


if __name__ == "__main__":
    main()

"""One campaign with everything that an address can name, and people of every role: for tables of who may do what."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any
from uuid import UUID

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import URLPattern, URLResolver, get_resolver
from django.utils import timezone
from pytest_django import Settings

from accounts.models import User
from accounts.tokens.tokens import make_token
from analytics.reports.jobs import ask_report
from analytics.reports.kinds import KINDS as REPORTS
from analytics.reports.source import Settings as ReportSettings
from analytics.reports.storage import report_of, share
from annotation.entry_gates.by_ear.headphones import draw
from annotation.entry_gates.by_ear.sounds import sound_tokens
from annotation.entry_gates.tries import start_try
from annotation.listening.clips import clip_token
from annotation.models import Annotation
from arena.pairing.drawing import next_pair
from campaigns.entry_gates.guidelines import new_guidelines
from campaigns.models import Campaign, Gate, Role
from campaigns.webhooks.hooks import add_webhook, send_test
from corpus.imports.mapping.mapping import TableMapping
from corpus.imports.mapping.page.recipes import keep_recipe
from corpus.models import Import, LabelSet, ResponseTurn
from infrastructure.models import Job
from judges.definitions.judges import make_judge
from judges.imported.uploads import Options, begin_verdict_import
from judges.kinds import KINDS
from judges.models import Judge, LanguageModel, Run, Verdict
from judges.runs.lifecycle import Plan, start_run
from judges.sounds.perturbations import Perturbation
from tests.analytics.exporting.exported import made_export
from tests.annotation.test_listening import deliver_fakes
from tests.arena.arenas import make_open_arena
from tests.campaigns.control_units.trapping import make_trap
from tests.factories import UserFactory, make_assignment, make_campaign, make_invitation, make_member
from tests.measurements.measuring import kept_clip, voice

#: Whose rights differ: a role that is added to the code is here, too. The launcher is a researcher of the
#: installation without a part in the campaign.
EVERYBODY = {str(role) for role in Role} | {"outsider", "launcher", "superuser"}
STAFF = {"admin", "researcher", "reviewer", "viewer", "superuser"}
MANAGERS = {"admin", "researcher", "superuser"}
REVIEWERS = MANAGERS | {"reviewer"}
LAUNCHERS = {"launcher", "superuser"}
ADMINS = {"admin", "superuser"}
ANNOTATORS = {"annotator"}
#: Together they open every page: who may is decided in Python, and what a page asks of a database may differ.
OPEN_EVERYTHING = ANNOTATORS | {"superuser"}
PARAMETER = re.compile(r"<[^>]+>")


def make_audible_campaign() -> Campaign:
    campaign = make_campaign()
    deliver_fakes(campaign)
    for item in campaign.dataset.items.all():
        clip = item.turns.get().clip
        clip.path.parent.mkdir(parents=True, exist_ok=True)
        clip.path.write_bytes(b"sound")
    return campaign


@pytest.fixture
def campaign(media_root: Path) -> Campaign:
    return make_audible_campaign()


@pytest.fixture
def people(campaign: Campaign) -> dict[str, User]:
    return make_people(campaign)


@pytest.fixture
def values(campaign: Campaign, people: dict[str, User]) -> "Values":
    return make_values(campaign, people)


@pytest.fixture(autouse=True)
def mail(settings: Settings) -> None:
    """The pages about letters are there where letters are sent."""
    settings.SENDS_EMAIL = True


def on_databases(roles: set[str]) -> list[Any]:
    """The roles as parameters; on PostgreSQL, only those that open everything."""
    marks = {True: [pytest.mark.databases], False: []}
    return [pytest.param(role, marks=marks[role in OPEN_EVERYTHING]) for role in sorted(roles)]


def make_people(campaign: Campaign) -> dict[str, User]:
    members = {str(role): make_member(campaign, role) for role in Role}
    return members | {
        "outsider": UserFactory(),
        "launcher": UserFactory(is_researcher=True),
        "superuser": UserFactory(is_superuser=True),
    }


# -- every address ------------------------------------------------------------


def routes(
    patterns: list[URLPattern | URLResolver] | None = None, before: str = "", within: str = ""
) -> Iterator[tuple[str, str, Any]]:
    """Name, route and view of everything that has an address; names of the API begin with "api:"."""
    for pattern in get_resolver().url_patterns if patterns is None else patterns:
        route = before + str(pattern.pattern)
        if isinstance(pattern, URLResolver):
            yield from routes(pattern.url_patterns, route, f"{pattern.namespace}:" if pattern.namespace else within)
        else:
            yield f"{within}{pattern.name}", route, pattern.callback


def api_routes() -> list[tuple[str, str, Any]]:
    return [(name.removeprefix("api:"), route, view) for name, route, view in routes() if name.startswith("api:")]


def pages() -> list[tuple[str, str, Any]]:
    return [it for it in routes() if ":" not in it[0]]


@dataclass(frozen=True)
class Values:
    """What stands in an address, by the route up to there; `own` where a page needs another row than others."""

    common: dict[str, object]
    own: dict[str, dict[str, object]] = field(default_factory=dict)

    def fill(self, name: str, route: str) -> str:
        """The route with a row for each parameter, found by what ends as the route does up to it."""
        return "/" + PARAMETER.sub(lambda found: self.value(name, route[: found.end()]), route)

    def value(self, name: str, until: str) -> str:
        for values in (self.own.get(name, {}), self.common):
            fitting = [key for key in values if until.endswith(key)]
            if fitting:
                return str(values[max(fitting, key=len)])
        raise LookupError(f"{name}: tests/world.py has nothing for {until}")


def filled(values: Values) -> dict[str, str]:
    """The address of every page, by its name."""
    return {name: values.fill(name, route) for name, route, _view in pages()}


def make_values(campaign: Campaign, people: dict[str, User]) -> Values:
    """Everything is somebody else's: made by the owner of the campaign, who is none of the people."""
    owner = campaign.created_by
    annotator = people["annotator"]
    item = campaign.dataset.items.first()
    assignment = make_assignment(campaign, annotator)
    for kind in ("headphones", "guidelines"):
        Gate.objects.create(campaign=campaign, kind=kind, settings={})
    new_guidelines(campaign, text="Listen.", user=owner)
    tone_check = start_try(campaign.gates.get(kind="headphones"), annotator, drawn=draw(Random(1)))
    upload = Import.objects.create(dataset_name="x", manifest_name="m.csv", created_by=owner)
    labels = LabelSet.objects.create(dataset=campaign.dataset, name="labels", created_by=owner)
    job = Job.objects.create(kind="prepare-audio", subject=str(campaign.pk), started_by=owner)
    annotation = Annotation.objects.create(assignment=assignment, shown_at=timezone.now(), idempotency_key="k")
    rubric = with_the_members_of(campaign, make_campaign(protocol="rubric", units=1, status="draft"))
    model = LanguageModel.objects.create(title="Model", base_url="http://127.0.0.1:9/v1", model="m", created_by=owner)
    judge = make_judge(KINDS["random"], title="Random", settings={}, language_model=None, user=owner)
    run = start_run(campaign, judge, plan=Plan(), user=owner)
    embedding = Judge.objects.create(title="Judge", kind="embedding", kind_version="1", digest="d", created_by=owner)
    probed = probed_verdict(run)
    arena = make_open_arena(items=1)
    with_the_members_of(campaign, arena.campaign)
    in_arena = next_pair(arena, annotator)
    assert in_arena
    report = report_of(campaign, REPORTS["labels"], ReportSettings())
    asked = ask_report(campaign, REPORTS["labels"], ReportSettings(), user=owner)
    link = share(report, user=owner)
    recipe = keep_recipe(user=owner, name="Recipe", columns=["a"], mapping=TableMapping("pairs", {}))
    table = SimpleUploadedFile("verdicts.csv", b"unit,order,verdict\n0,ab,1\n")
    verdicts = begin_verdict_import(campaign, table, options=Options(judge="Elsewhere"), user=owner)
    hook, _secret = add_webhook(campaign, url="https://hooks.example/", events=["answer.recorded"], user=owner)
    export = made_export(campaign)
    viewer = campaign.memberships.get(role=Role.VIEWER).pk
    common = {
        "campaigns/<slug:slug>": campaign.slug,
        "campaigns/<slug:campaign>": campaign.slug,
        "label/<slug:slug>": campaign.slug,
        "label/<slug:campaign>": campaign.slug,
        "arena/<slug:slug>": arena.campaign.slug,
        "datasets/<slug:slug>": campaign.dataset.slug,
        "datasets/<slug:dataset>": campaign.dataset.slug,
        "items/<int:pk>": item.pk,
        "clips/<int:clip>": item.turns.get().clip_id,
        "manage/<slug:kind>": "campaign",
        "manage/<slug:kind>/<str:key>": campaign.slug,
        "imports/<uuid:pk>": upload.pk,
        "imports/recipes/<int:pk>": recipe.pk,
        "imports/templates/<slug:name>": "pairs",
        "jobs/<uuid:pk>": job.pk,
        "backups/<slug:name>": "monday",
        "storage/<slug:what>": "exports",
        "protocols/<slug:name>": "hcot",
        "<str:version>": "1",
        "label-sets/<int:pk>": labels.pk,
        "models/<int:pk>": model.pk,
        "judges/<int:pk>": judge.pk,
        "<int:judge>": judge.pk,
        "runs/<int:pk>": run.pk,
        "runs/<int:run>": run.pk,
        "verdicts/<int:verdict>": run.verdicts.order_by("pk")[0].pk,
        "verdicts.<slug:kind>": "csv",
        "import/<uuid:pk>": verdicts.pk,
        "verdicts/<uuid:pk>": verdicts.pk,
        "judges/new/<slug:kind>": "random",
        "qualify/<int:pk>": Run.objects.create(campaign=campaign, judge=embedding, started_by=owner).pk,
        "<str:form>": "csv",
        "<slug:form>": "csv",
        "results/<slug:kind>": "labels",
        "asked-reports/<uuid:pk>": asked.pk,
        "reports/<uuid:pk>": report.pk,
        "reports/<uuid:report>": report.pk,
        "<int:link>": link.pk,
        "shares/<int:pk>": link.pk,
        "/<str:key>": "counts-overall",
        "/<slug:key>": "counts-overall",
        "exports/<uuid:pk>": export.pk,
        "quality/people/<int:pk>": campaign.memberships.get(role=Role.ANNOTATOR).pk,
        "members/<int:pk>": viewer,
        "invitations/<int:pk>": make_invitation(campaign).pk,
        "accounts/people/<int:pk>": people["viewer"].pk,
        "<int:token>": 0,
        "<slug:right>": "researcher",
        "tokens/<int:pk>": make_token(owner, name="t", scopes=["read"], days=1)[0].pk,
        "webhooks/<int:pk>": hook.pk,
        "<int:webhook>": hook.pk,
        "<uuid:delivery>": send_test(hook).pk,
        "deliveries/<uuid:pk>": send_test(hook).pk,
        "label/<slug:slug>/<uuid:assignment_id>": assignment.pk,
        "assignments/<uuid:pk>": assignment.pk,
        "arena/<slug:slug>/<uuid:assignment_id>": in_arena.pk,
        "ready/<slug:kind>": "headphones",
        "sound/<str:token>": sound_tokens(tone_check)[0],
        "listen/<str:token>": clip_token(assignment, 1, 1),
        "clips/<str:token>": clip_token(assignment, 1, 1),
        "<uuid:key>": UUID(int=7),
        "<str:token>": "no-token",
        "<uidb64>": "x",
        "<token>": "y",
        "<str:turn>": "pause",
        "<slug:turn>": "pause",
        "review/<int:pk>": assignment.campaign_unit_id,
        "disagreements/<int:pk>": assignment.campaign_unit_id,
        "<int:place>": 1,
        "<int:turn>": 1,
        "<int:annotation>": annotation.pk,
        "traps/<int:pk>": make_trap(campaign).pk,
    }  # fmt: skip
    in_arena_pages = {"campaigns/<slug:slug>": arena.campaign.slug}
    of_rubric = {"campaigns/<slug:slug>": rubric.slug, "items/<int:pk>": rubric.dataset.items.get().pk}
    own: dict[str, dict[str, object]] = {
        "campaign-arena": in_arena_pages,
        "arena-let-in": in_arena_pages,
        **{name: of_rubric for name, route, _ in pages() if route.startswith("campaigns/<slug:slug>/rubric/")},
        "run-verdict-clip": probed,
        "report-file": {"<str:form>": "json"},
        "shared-file": {"<str:form>": "json"},
        "export-delete": {"exports/<uuid:pk>": made_export(campaign).pk},
    }
    return Values(common, own)


def with_the_members_of(campaign: Campaign, other: Campaign) -> Campaign:
    for membership in campaign.memberships.all():
        other.memberships.create(user=membership.user, role=membership.role)
    return other


def probed_verdict(run: Run) -> dict[str, object]:
    """A clip of a verdict of a probe of this run."""
    probe = Run.objects.create(
        campaign=run.campaign, judge=run.judge, started_by=run.started_by, status="done", unperturbed=run,
        perturbation=Perturbation("gain", -6.0).to_json(),
    )  # fmt: skip
    unit = run.verdicts.order_by("pk")[0].unit
    verdict = Verdict.objects.create(run=probe, unit=unit, order="ab", status="ok", judged_at=timezone.now())
    clip = kept_clip(voice(1))
    ResponseTurn.objects.create(response=unit.a, position=9, clip=clip)
    return {"runs/<int:pk>": probe.pk, "verdicts/<int:verdict>": verdict.pk, "<int:clip>": clip.pk}

"""Every URL × every role. A URL that is not in the table fails the test, so that none is forgotten."""

import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random
from uuid import UUID

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import transaction
from django.test import Client, override_settings
from django.urls import URLPattern, URLResolver, get_resolver, reverse
from django.utils import timezone, translation
from pytest_django import DjangoDbBlocker, Settings

from accounts.models import User
from accounts.tokens.tokens import make_token
from analytics.reports.kinds import KINDS as REPORTS
from analytics.reports.source import Settings as ReportSettings
from analytics.reports.storage import report_of, share
from annotation.entry_gates.by_ear.headphones import draw
from annotation.entry_gates.by_ear.sounds import sound_tokens
from annotation.entry_gates.tries import start_try
from annotation.listening.clips import clip_token
from annotation.models import Annotation, Assignment
from arena.pairing.drawing import next_pair
from campaigns.entry_gates.guidelines import new_guidelines
from campaigns.models import Campaign, Gate, Import, Job, LabelSet, ResponseTurn, Role
from campaigns.webhooks.hooks import add_webhook, send_test
from judges.definitions.judges import make_judge
from judges.imported.uploads import Options, begin_verdict_import
from judges.kinds import KINDS
from judges.models import Judge, LanguageModel, Run, Verdict
from judges.runs.lifecycle import Plan, start_run
from judges.sounds.perturbations import Perturbation
from tests.analytics.exporting.exported import made_export
from tests.arena.arenas import make_open_arena
from tests.campaigns.trapping import make_trap
from tests.everybody import make_audible_campaign, make_people
from tests.factories import make_assignment, make_campaign, make_invitation
from tests.judges.measuring import kept_clip, voice

pytestmark = pytest.mark.django_db

EVERYBODY = {"admin", "researcher", "reviewer", "annotator", "viewer", "outsider", "launcher", "superuser"}
STAFF = {"admin", "researcher", "reviewer", "viewer", "superuser"}
MANAGERS = {"admin", "researcher", "superuser"}
REVIEWERS = MANAGERS | {"reviewer"}
LAUNCHERS = {"launcher", "superuser"}
ADMINS = {"admin", "superuser"}

#: URL name: (method, who may). "launcher" is a researcher of the installation without a part in the campaign.
WHO_MAY = {
    "home": ("GET", EVERYBODY),
    "people": ("GET", {"superuser"}),
    "person-right": ("POST", {"superuser"}),
    "person-password": ("POST", {"superuser"}),
    "password": ("GET", EVERYBODY),
    "tokens": ("GET", EVERYBODY),
    "token-revoke": ("POST", set()),
    "datasets": ("GET", EVERYBODY),
    "dataset": ("GET", STAFF),
    "dataset-metrics": ("GET", STAFF),
    "dataset-metrics-compute": ("POST", MANAGERS),
    "dataset-metrics-import": ("POST", MANAGERS),
    "dataset-metrics-table": ("GET", STAFF),
    "dataset-likelihoods": ("GET", STAFF),
    "dataset-likelihoods-import": ("POST", MANAGERS),
    "dataset-identity": ("GET", STAFF),
    "dataset-identity-scan": ("POST", MANAGERS),
    "dataset-identity-pairs": ("GET", STAFF),
    "item": ("GET", STAFF),
    "item-clip": ("GET", STAFF),
    "dataset-features": ("GET", STAFF),
    "item-features": ("GET", STAFF),
    "import-new": ("GET", LAUNCHERS),
    "import": ("GET", {"superuser"}),
    "import-confirm": ("POST", {"superuser"}),
    "import-choices": ("POST", {"superuser"}),
    "job": ("GET", STAFF),
    "health": ("GET", LAUNCHERS),
    "protocols": ("GET", LAUNCHERS),
    "protocol": ("GET", LAUNCHERS),
    "protocol-yaml": ("GET", LAUNCHERS),
    "protocol-new": ("GET", LAUNCHERS),
    "protocol-preview": ("POST", LAUNCHERS),
    "protocol-upload": ("GET", LAUNCHERS),
    "protocol-schema": ("GET", EVERYBODY),
    "campaign-new": ("GET", LAUNCHERS),
    "launch-systems": ("GET", MANAGERS),
    "launch-protocol": ("GET", MANAGERS),
    "launch-units": ("GET", MANAGERS),
    "launch-answers": ("GET", MANAGERS),
    "launch-open": ("GET", MANAGERS),
    "preview": ("GET", MANAGERS),
    "preview-answer": ("POST", MANAGERS),
    "preview-heard": ("POST", MANAGERS),
    "preview-skip": ("POST", MANAGERS),
    "preview-listen": ("GET", set()),
    "planning": ("GET", MANAGERS),
    "campaign-clone": ("POST", {"superuser"}),
    "campaign": ("GET", STAFF),
    "campaign-turn": ("POST", MANAGERS),
    "campaign-audio": ("POST", MANAGERS),
    "checks": ("GET", MANAGERS),
    "gates": ("GET", MANAGERS),
    "guidelines-text": ("POST", MANAGERS),
    "gold-template": ("GET", MANAGERS),
    "traps": ("GET", MANAGERS),
    "trap-recordings": ("POST", MANAGERS),
    "trap-clip": ("GET", MANAGERS),
    "rubric": ("GET", REVIEWERS),
    "rubric-item": ("GET", REVIEWERS),
    "rubric-table": ("GET", REVIEWERS),
    "rubric-acceptance": ("GET", REVIEWERS),
    "rubric-upload": ("POST", MANAGERS),
    "rubric-drafts": ("GET", MANAGERS),
    "rubric-drafts-stop": ("POST", MANAGERS),
    "verdicts-import": ("GET", MANAGERS),
    "verdict-import": ("GET", MANAGERS),
    "verdict-import-cancel": ("POST", MANAGERS),
    "verdict-import-template": ("GET", MANAGERS),
    "results": ("GET", STAFF),
    "report": ("GET", STAFF),
    "report-figures": ("GET", STAFF),
    "report-print": ("GET", STAFF),
    "kept-report": ("GET", STAFF),
    "keep-report": ("POST", STAFF),
    "share-report": ("POST", MANAGERS),
    "unshare-report": ("POST", MANAGERS),
    "report-file": ("GET", STAFF),
    "figure-file": ("GET", STAFF),
    "comparison": ("GET", STAFF),
    "comparison-file": ("GET", STAFF),
    "comparison-qualify": ("POST", MANAGERS),
    "models": ("GET", LAUNCHERS),
    "model-proposal": ("GET", LAUNCHERS),
    "model-test": ("POST", {"superuser"}),
    "model-disable": ("POST", {"superuser"}),
    "model-terms": ("GET", {"superuser"}),
    "judges": ("GET", LAUNCHERS),
    "judge-new": ("GET", LAUNCHERS),
    "judge-archive": ("POST", {"superuser"}),
    "runs": ("GET", STAFF),
    "run-new": ("GET", MANAGERS),
    "run": ("GET", STAFF),
    "run-turn": ("POST", MANAGERS),
    "run-probe": ("GET", MANAGERS),
    "run-verdicts": ("GET", STAFF),
    "run-verdict": ("GET", STAFF),
    "run-verdict-clip": ("GET", STAFF),
    "run-file": ("GET", MANAGERS),
    "probe-report": ("GET", STAFF),
    "quality": ("GET", REVIEWERS),
    "quality-rules": ("GET", MANAGERS),
    "quality-annotator": ("GET", REVIEWERS),
    "quality-decide": ("POST", REVIEWERS),
    "members": ("GET", ADMINS),
    "member-end": ("POST", ADMINS),
    "invitation-new": ("POST", ADMINS),
    "invitation-revoke": ("POST", ADMINS),
    "consent-text": ("POST", ADMINS),
    "webhooks": ("GET", MANAGERS),
    "webhook": ("GET", MANAGERS),
    "webhook-test": ("POST", MANAGERS),
    "webhook-disable": ("POST", MANAGERS),
    "delivery-again": ("POST", MANAGERS),
    "account": ("GET", EVERYBODY),
    "sign-on-link": ("GET", set()),  # without a provider there are no such pages
    "sign-on-unlink": ("POST", set()),
    "email": ("GET", EVERYBODY),
    "email-confirm": ("GET", EVERYBODY),
    "second-factor": ("GET", EVERYBODY),
    "second-factor-off": ("GET", EVERYBODY),
    "member-password": ("POST", {"superuser"}),
    "member-second-factor": ("GET", {"superuser"}),
    "keep-account": ("GET", set()),
    "consent": ("GET", {"annotator"}),
    "withdraw": ("GET", {"annotator"}),
    "label": ("GET", {"annotator"}),
    "answer": ("POST", {"annotator"}),
    "heard": ("POST", {"annotator"}),
    "give-back": ("POST", {"annotator"}),
    "take-back": ("POST", {"annotator"}),
    "leave-as-it-was": ("POST", {"annotator"}),
    "ahead": ("POST", {"annotator"}),
    "listen": ("GET", {"annotator"}),
    "messages": ("GET", {"annotator"}),
    "volume": ("GET", {"annotator"}),
    "volume-noise": ("GET", {"annotator"}),
    "gate": ("GET", {"annotator"}),
    "gate-sound": ("GET", {"annotator"}),
    "guidelines": ("GET", {"annotator"}),
    "label-set": ("GET", STAFF),
    "label-set-trace": ("GET", STAFF),
    "label-set-tidy": ("GET", STAFF),
    "label-set-all-raters": ("GET", STAFF),
    "board": ("GET", STAFF),
    "board-lock": ("POST", MANAGERS),
    "board-units": ("GET", STAFF),
    "board-file": ("GET", STAFF),
    "arena-vote": ("POST", {"annotator"}),
    "arena-ahead": ("POST", {"annotator"}),
    "arena-votes": ("GET", MANAGERS),
    "campaign-arena": ("GET", STAFF),
    "arena-let-in": ("POST", MANAGERS),
    "label-set-board": ("GET", STAFF),
    "label-set-board-units": ("GET", STAFF),
    "label-set-board-file": ("GET", STAFF),
    "campaign-pulse": ("GET", STAFF),
    "labels": ("GET", STAFF),
    "review": ("GET", REVIEWERS),
    "review-unit": ("GET", REVIEWERS),
    "review-clip": ("GET", REVIEWERS),
    "disagreements": ("GET", REVIEWERS),
    "disagreement": ("GET", REVIEWERS),
    "review-adjudicate": ("POST", REVIEWERS),
    "review-settle": ("POST", REVIEWERS),
    "review-comment": ("POST", REVIEWERS),
    "review-names": ("POST", REVIEWERS),
    "review-use": ("POST", REVIEWERS),
    "review-accept": ("POST", REVIEWERS),
    "retention": ("GET", ADMINS),
    "exports": ("GET", MANAGERS),
    "export-file": ("GET", MANAGERS),
    "export-delete": ("POST", MANAGERS),
    "campaign-trace": ("GET", MANAGERS),
    "campaign-tidy": ("GET", MANAGERS),
}
WITHOUT_LOGIN = {
    "shared-report", "shared-file", "shared-figure",
    "setup", "login", "login-code", "logout", "sign-on", "sign-on-back",
    "forgotten", "forgotten-sent", "new-password",
    "join", "set_language", "healthz", "readyz", "metrics", "arena", "arena-start",
}  # fmt: skip
#: What a guest reaches, who is an annotator without a name: the way to the units, the units, and the ways out.
FOR_GUESTS = {
    "home", "label", "answer", "heard", "give-back", "take-back", "leave-as-it-was", "ahead", "listen", "volume",
    "volume-noise", "gate", "gate-sound", "guidelines", "consent", "withdraw", "keep-account", "messages",
    "arena-vote", "arena-ahead",
}  # fmt: skip


def url_names(patterns: list[URLPattern | URLResolver] | None = None) -> Iterator[str]:
    for pattern in get_resolver().url_patterns if patterns is None else patterns:
        if isinstance(pattern, URLResolver) and pattern.namespace == "api":
            continue  # tests/api/test_access.py has a table of its own
        if isinstance(pattern, URLResolver):
            yield from url_names(pattern.url_patterns)
        else:
            yield str(pattern.name)


@dataclass(frozen=True)
class World:
    """What every URL here is about. Its rows are there for the whole module, and each test has them as they were."""

    campaign: Campaign
    people: dict[str, User]
    addresses: dict[str, str]
    media: Path


@pytest.fixture(scope="module")
def world(
    django_db_setup: None, django_db_blocker: DjangoDbBlocker, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[World]:
    """Made once, in a transaction within which each test has one of its own: 2,000 tests would make it anew."""
    media = tmp_path_factory.mktemp("world")
    with django_db_blocker.unblock(), transaction.atomic():
        with override_settings(MEDIA_ROOT=media), translation.override("en"):
            campaign = make_audible_campaign()
            people = make_people(campaign)
            world = World(campaign, people, addresses_in(campaign, people), media)
        yield world
        transaction.set_rollback(True)


@pytest.fixture(autouse=True)
def media_root(settings: Settings, tmp_path: Path, world: World) -> Path:
    """A copy of the world's files, since some addresses delete."""
    settings.MEDIA_ROOT = shutil.copytree(world.media, tmp_path / "media")
    return tmp_path / "media"


@pytest.fixture
def campaign(world: World) -> Campaign:
    return world.campaign


@pytest.fixture
def people(world: World) -> dict[str, User]:
    return world.people


@pytest.fixture
def addresses(world: World) -> dict[str, str]:
    return world.addresses


@pytest.fixture(autouse=True)
def mail(settings: Settings) -> None:
    settings.SENDS_EMAIL = True


def addresses_in(campaign: Campaign, people: dict[str, User]) -> dict[str, str]:
    item = campaign.dataset.items.first()
    assignment: Assignment = make_assignment(campaign, people["annotator"])
    owner = campaign.created_by
    for kind in ("headphones", "guidelines"):
        Gate.objects.create(campaign=campaign, kind=kind, settings={})
    new_guidelines(campaign, text="Listen.", user=owner)
    tone_check = start_try(campaign.gates.get(kind="headphones"), people["annotator"], drawn=draw(Random(1)))
    upload = Import.objects.create(dataset_name="x", manifest_name="m.csv", created_by=owner)
    labels = LabelSet.objects.create(dataset=campaign.dataset, name="labels", created_by=owner)
    job = Job.objects.create(kind="prepare-audio", subject=str(campaign.pk), started_by=owner)
    annotation = Annotation.objects.create(assignment=assignment, shown_at=timezone.now(), idempotency_key="k")
    unit = [campaign.slug, assignment.campaign_unit_id]
    rubric = make_campaign(protocol="rubric", units=1, status="draft")
    for membership in campaign.memberships.all():
        rubric.memberships.create(user=membership.user, role=membership.role)
    model = LanguageModel.objects.create(title="Model", base_url="http://127.0.0.1:9/v1", model="m", created_by=owner)
    judge = make_judge(KINDS["random"], title="Random", settings={}, language_model=None, user=owner)
    run = start_run(campaign, judge, plan=Plan(), user=owner)
    its_run = [campaign.slug, run.pk]
    embedding = Judge.objects.create(title="Judge", kind="embedding", kind_version="1", digest="d", created_by=owner)
    embedding_run = Run.objects.create(campaign=campaign, judge=embedding, started_by=owner)
    arena = make_open_arena(items=1)
    for membership in campaign.memberships.all():
        arena.campaign.memberships.create(user=membership.user, role=membership.role)
    in_arena = next_pair(arena, people["annotator"])
    assert in_arena
    report = report_of(campaign, REPORTS["labels"], ReportSettings())
    table = SimpleUploadedFile("verdicts.csv", b"unit,order,verdict\n0,ab,1\n")
    verdicts = begin_verdict_import(campaign, table, options=Options(judge="Elsewhere"), user=owner)
    hook, _secret = add_webhook(campaign, url="https://hooks.example/", events=["answer.recorded"], user=owner)
    arguments = {
        "token-revoke": [make_token(owner, name="t", scopes=["read"], days=1)[0].pk],
        "job": [job.pk],
        "dataset": [campaign.dataset.slug],
        "dataset-metrics": [campaign.dataset.slug],
        "dataset-metrics-compute": [campaign.dataset.slug],
        "dataset-metrics-import": [campaign.dataset.slug],
        "dataset-metrics-table": [campaign.dataset.slug],
        "dataset-likelihoods": [campaign.dataset.slug],
        "dataset-likelihoods-import": [campaign.dataset.slug],
        "dataset-identity": [campaign.dataset.slug],
        "dataset-identity-scan": [campaign.dataset.slug],
        "dataset-identity-pairs": [campaign.dataset.slug],
        "item": [campaign.dataset.slug, item.pk],
        "item-clip": [campaign.dataset.slug, item.pk, item.turns.get().clip_id],
        "dataset-features": [campaign.dataset.slug],
        "item-features": [campaign.dataset.slug, item.pk],
        "import": [upload.pk],
        "import-confirm": [upload.pk],
        "import-choices": [upload.pk],
        "protocol": ["hcot", "1"],
        "protocol-yaml": ["hcot", "1"],
        "campaign": [campaign.slug],
        "launch-systems": [campaign.slug],
        "launch-protocol": [campaign.slug],
        "launch-units": [campaign.slug],
        "launch-answers": [campaign.slug],
        "launch-open": [campaign.slug],
        "preview": [campaign.slug],
        "preview-answer": [campaign.slug, UUID(int=7)],
        "preview-heard": [campaign.slug, UUID(int=7)],
        "preview-skip": [campaign.slug, UUID(int=7)],
        "preview-listen": [campaign.slug, "no-token"],
        "planning": [campaign.slug],
        "campaign-clone": [campaign.slug],
        "campaign-turn": [campaign.slug, "pause"],
        "campaign-audio": [campaign.slug],
        "checks": [campaign.slug],
        "gold-template": [campaign.slug],
        "traps": [campaign.slug],
        "trap-recordings": [campaign.slug],
        "trap-clip": [campaign.slug, make_trap(campaign).pk],
        "rubric": [rubric.slug],
        "rubric-item": [rubric.slug, rubric.dataset.items.get().pk],
        "rubric-table": [rubric.slug],
        "rubric-acceptance": [rubric.slug],
        "rubric-upload": [rubric.slug],
        "rubric-drafts": [rubric.slug],
        "rubric-drafts-stop": [rubric.slug],
        "verdicts-import": [campaign.slug],
        "verdict-import": [campaign.slug, verdicts.pk],
        "verdict-import-cancel": [campaign.slug, verdicts.pk],
        "verdict-import-template": [campaign.slug],
        "results": [campaign.slug],
        "report": [campaign.slug, "labels"],
        "report-figures": [campaign.slug, "labels"],
        "report-print": [campaign.slug],
        "kept-report": [report.pk],
        "keep-report": [report.pk],
        "share-report": [report.pk],
        "unshare-report": [report.pk, share(report, user=owner).pk],
        "report-file": [report.pk, "json"],
        "figure-file": [report.pk, "counts-overall", "csv"],
        "comparison": [campaign.slug],
        "comparison-file": [campaign.slug, "csv"],
        "comparison-qualify": [campaign.slug, embedding_run.pk],
        "model-test": [model.pk],
        "model-disable": [model.pk],
        "model-terms": [model.pk],
        "judge-new": ["random"],
        "judge-archive": [judge.pk],
        "runs": [campaign.slug],
        "run-new": [campaign.slug, judge.pk],
        "run": its_run,
        "run-turn": [*its_run, "pause"],
        "run-probe": its_run,
        "run-verdicts": its_run,
        "run-verdict": [*its_run, run.verdicts.order_by("pk")[0].pk],
        "run-verdict-clip": heard_copy(run),
        "run-file": [*its_run, "csv"],
        "probe-report": its_run,
        "quality": [campaign.slug],
        "quality-rules": [campaign.slug],
        "quality-annotator": [campaign.slug, campaign.memberships.get(role=Role.ANNOTATOR).pk],
        "quality-decide": [campaign.slug, campaign.memberships.get(role=Role.ANNOTATOR).pk],
        "email-confirm": ["no-token"],
        "person-right": [people["viewer"].pk, "researcher"],
        "person-password": [people["viewer"].pk],
        "member-password": [campaign.slug, campaign.memberships.get(role=Role.VIEWER).pk],
        "member-second-factor": [campaign.slug, campaign.memberships.get(role=Role.VIEWER).pk],
        "members": [campaign.slug],
        "member-end": [campaign.slug, campaign.memberships.get(role=Role.VIEWER).pk],
        "invitation-new": [campaign.slug],
        "invitation-revoke": [campaign.slug, make_invitation(campaign).pk],
        "consent-text": [campaign.slug],
        "webhooks": [campaign.slug],
        "webhook": [campaign.slug, hook.pk],
        "webhook-test": [campaign.slug, hook.pk],
        "webhook-disable": [campaign.slug, hook.pk],
        "delivery-again": [campaign.slug, hook.pk, send_test(hook).pk],
        "consent": [campaign.slug],
        "withdraw": [campaign.slug],
        "label": [campaign.slug],
        "answer": [campaign.slug, assignment.pk],
        "heard": [campaign.slug, assignment.pk],
        "give-back": [campaign.slug, assignment.pk],
        "take-back": [campaign.slug],
        "leave-as-it-was": [campaign.slug, assignment.pk],
        "ahead": [campaign.slug],
        "volume": [campaign.slug],
        "volume-noise": [campaign.slug],
        "gates": [campaign.slug],
        "guidelines-text": [campaign.slug],
        "gate": [campaign.slug, "headphones"],
        "gate-sound": [campaign.slug, sound_tokens(tone_check)[0]],
        "guidelines": [campaign.slug],
        "listen": [clip_token(assignment, 1, 1)],
        "label-set": [labels.pk],
        "label-set-trace": [labels.pk],
        "label-set-tidy": [labels.pk],
        "label-set-all-raters": [labels.pk],
        "board": [campaign.slug],
        "board-lock": [campaign.slug],
        "board-units": [campaign.slug],
        "board-file": [campaign.slug, "csv"],
        "arena-vote": [arena.campaign.slug, in_arena.pk],
        "arena-ahead": [arena.campaign.slug],
        "arena-votes": [arena.campaign.slug, "csv"],
        "campaign-arena": [arena.campaign.slug],
        "arena-let-in": [arena.campaign.slug],
        "label-set-board": [labels.pk],
        "label-set-board-units": [labels.pk],
        "label-set-board-file": [labels.pk, "csv"],
        "campaign-pulse": [campaign.slug],
        "labels": [campaign.slug],
        "review": [campaign.slug],
        "review-unit": unit,
        "review-clip": [*unit, 1, 1],
        "disagreements": [campaign.slug],
        "disagreement": unit,
        "review-adjudicate": unit,
        "review-settle": unit,
        "review-comment": unit,
        "review-names": unit,
        "review-use": [*unit, annotation.pk],
        "review-accept": [*unit, annotation.pk],
        "messages": [campaign.slug],
        "retention": [campaign.slug],
        "exports": [campaign.slug],
        "export-file": [campaign.slug, made_export(campaign).pk],
        "export-delete": [campaign.slug, made_export(campaign).pk],
        "campaign-trace": [campaign.slug],
        "campaign-tidy": [campaign.slug],
    }
    return {name: reverse(name, args=arguments.get(name, [])) for name in WHO_MAY}


def heard_copy(run: Run) -> list[object]:
    """A clip of a verdict of a probe of this run."""
    probe = Run.objects.create(
        campaign=run.campaign, judge=run.judge, started_by=run.started_by, status="done", unperturbed=run,
        perturbation=Perturbation("gain", -6.0).to_json(),
    )  # fmt: skip
    unit = run.verdicts.order_by("pk")[0].unit
    verdict = Verdict.objects.create(run=probe, unit=unit, order="ab", status="ok", judged_at=timezone.now())
    clip = kept_clip(voice(1))
    ResponseTurn.objects.create(response=unit.a, position=9, clip=clip)
    return [run.campaign.slug, probe.pk, verdict.pk, clip.pk]


def test_every_url_is_in_the_table() -> None:
    assert set(url_names()) == set(WHO_MAY) | WITHOUT_LOGIN


@pytest.mark.parametrize("name", WHO_MAY)
@pytest.mark.parametrize("role", sorted(EVERYBODY))
def test_url_is_open_to_those_who_may_and_to_nobody_else(
    client: Client, people: dict[str, User], addresses: dict[str, str], name: str, role: str
) -> None:
    method, allowed = WHO_MAY[name]
    client.force_login(people[role])

    response = client.generic(method, addresses[name])

    refused = response.status_code in (403, 404)
    assert refused == (role not in allowed), f"{role} got {response.status_code} from {method} {name}"


@pytest.mark.parametrize("name", WHO_MAY)
@pytest.mark.parametrize("other_role", [None, Role.ADMIN])
def test_url_is_open_to_a_guest_only_for_labelling(
    client: Client, campaign: Campaign, people: dict[str, User], addresses: dict[str, str], name: str, other_role: str
) -> None:
    """Not even a guest who was given another role gets further."""
    guest = people["annotator"]
    User.objects.filter(pk=guest.pk).update(is_guest=True, is_researcher=True)
    if other_role:
        campaign.memberships.create(user=guest, role=other_role)
    client.force_login(guest)

    response = client.generic(WHO_MAY[name][0], addresses[name])

    refused = response.status_code in (403, 404)
    assert refused == (name not in FOR_GUESTS), f"a guest got {response.status_code} from {name}"


@pytest.mark.parametrize("name", WHO_MAY)
def test_url_leads_the_logged_out_to_the_login(client: Client, addresses: dict[str, str], name: str) -> None:
    response = client.generic(WHO_MAY[name][0], addresses[name])

    assert response.status_code == 302
    assert response["Location"].startswith(reverse("login"))


@pytest.mark.parametrize("name", [name for name in WHO_MAY if name not in {"password"}])
def test_url_refuses_another_method(
    client: Client, people: dict[str, User], addresses: dict[str, str], name: str
) -> None:
    client.force_login(people["superuser"])

    assert client.delete(addresses[name]).status_code == 405

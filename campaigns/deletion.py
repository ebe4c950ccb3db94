"""Campaigns and own protocols: who may archive and delete them, and what of this app goes with them."""

from typing import Any

from django.core.exceptions import PermissionDenied
from django.db.models import Q
from django.http import Http404
from django.urls import reverse
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext_lazy

from accounts.models import AuditEntry, User
from accounts.people.rights import require_launcher
from campaigns import reasons
from campaigns.access import Right, campaign_for, campaigns_with, rights_in
from campaigns.datasets.unheard import delivered, drop_unheard, leaving_delivered, own_hashes
from campaigns.entry_gates.system_name_leaks import systems_named
from campaigns.models import (
    Arrival,
    Campaign,
    CampaignUnit,
    Consent,
    ConsentText,
    Criterion,
    CriterionDecision,
    FrozenCriterion,
    FrozenRubric,
    Gate,
    GateTry,
    GuidelinesText,
    Invitation,
    Membership,
    NameLock,
    NoCriteria,
    ProtocolVersion,
    QualityRules,
    Retention,
    Role,
    SpokenTraps,
    TrapClip,
    TrapRecording,
    Webhook,
)
from campaigns.people.guests import ONLY_HERE, drop_guests, guests_in
from campaigns.protocol_composer.own_protocols import may_add_version
from corpus.clips.unused import drop_unused
from corpus.models import Dataset
from infrastructure.deletion.demo import stays_while
from infrastructure.deletion.subjects import (
    Counted,
    Files,
    InUse,
    Part,
    Rows,
    Subject,
    counts,
    goes_with,
    has_files,
    has_jobs,
    list_in_use,
    refuse_when,
    register,
)
from infrastructure.models import Delivery
from infrastructure.wording.reasons import Reason


def register_deletion() -> None:
    register(CAMPAIGNS)
    register(PROTOCOLS)
    goes_with(
        Dataset,
        Part(Campaign, "dataset"),
        Part(Criterion, "item__dataset"),
        Part(CriterionDecision, "criterion__item__dataset"),
        Part(NoCriteria, "item__dataset"),
    )
    _register_campaigns()
    refuse_when(Campaign, _while_open)
    refuse_when(Dataset, _while_campaigns_open)
    list_in_use(Dataset, _open_campaigns)
    list_in_use(Campaign, _open_campaign)
    refuse_when(Dataset, _while_others_use_it, only_deletion=True)
    counts(
        Dataset, Counted(Campaign, "dataset", ngettext_lazy("%(n)s campaign", "%(n)s campaigns", "n"), named="title")
    )
    counts(
        Campaign,
        Counted(
            Membership,
            "campaign",
            ngettext_lazy("what %(n)s annotator did", "what %(n)s annotators did", "n"),
            Q(role=Role.ANNOTATOR),
            "user",
        ),
        Counted(
            Membership,
            "campaign",
            ngettext_lazy("%(n)s account of a guest", "%(n)s accounts of guests", "n"),
            ONLY_HERE,
            "user",
        ),
        Counted(
            Invitation,
            "campaign",
            ngettext_lazy("%(n)s invitation link leads nowhere", "%(n)s invitation links lead nowhere", "n"),
            Q(revoked_at=None),
            is_loss=True,
        ),
        Counted(
            Webhook,
            "campaign",
            ngettext_lazy("%(n)s webhook gets no more events", "%(n)s webhooks get no more events", "n"),
            Q(disabled_at=None),
            is_loss=True,
        ),
    )
    has_files(Campaign, Files("trap-clips", own_hashes, drop_unused))
    has_files(Campaign, Files("guests", guests_in, drop_guests))
    has_files(Campaign, Files("delivered", delivered, drop_unheard, leaving_delivered))
    stays_while(Dataset, Q(campaigns__is_demo=False))
    has_jobs(Campaign, "prepare-audio", "make-traps", "add-units")


def _register_campaigns() -> None:
    plain = (
        Membership, CampaignUnit, Invitation, ConsentText, GuidelinesText, Gate, GateTry, FrozenRubric, NameLock,
        QualityRules, Retention, SpokenTraps, TrapRecording, Webhook, Campaign.systems.through,
    )  # fmt: skip
    goes_with(
        Campaign,
        *(Part(model, "campaign") for model in plain),
        Part(Arrival, "invitation__campaign"),
        Part(Consent, "text__campaign"),
        Part(FrozenCriterion, "rubric__campaign"),
        Part(TrapClip, "campaign_unit__campaign"),
        Part(Delivery, "endpoint__webhook__campaign"),
    )


def _while_open(campaigns: Rows, _by: User) -> Reason | None:
    return reasons.CLOSE_FIRST() if campaigns.filter(status=Campaign.Status.OPEN).exists() else None


def _while_campaigns_open(datasets: Rows, _by: User) -> Reason | None:
    n = Campaign.objects.filter(dataset__in=datasets, status=Campaign.Status.OPEN).count()
    return reasons.CLOSE_CAMPAIGNS_FIRST(n=n) if n else None


def _open_campaigns(datasets: Rows, by: User) -> list[InUse]:
    """Those that people can answer now, with buttons for whom manages them."""
    return _listed(Campaign.objects.filter(dataset__in=datasets), by)


def _open_campaign(campaigns: Rows, by: User) -> list[InUse]:
    return _listed(campaigns, by)


def _listed(campaigns: Rows, by: User) -> list[InUse]:
    managed = set(campaigns_with(by, Right.MANAGE).values_list("pk", flat=True))
    found = []
    for row in campaigns.filter(status=Campaign.Status.OPEN).order_by("title", "pk"):
        turns = [reverse("campaign-turn", args=[row.slug, turn]) for turn in ("pause", "close")]
        found.append(InUse(row.title, row.get_absolute_url(), *(turns if row.pk in managed else ())))
    return found


def _while_others_use_it(datasets: Rows, by: User) -> Reason | None:
    """The owner of a dataset does not delete the studies of other people."""
    mine = campaigns_with(by, Right.INVITE)
    n = Campaign.objects.filter(dataset__in=datasets).exclude(pk__in=mine.values("pk")).count()
    return reasons.CAMPAIGNS_OF_OTHERS(n=n) if n else None


def _own_protocol(user: User, name: str) -> ProtocolVersion:
    """The first version of an own protocol, for who saved it and administrators. Raises Http404, PermissionDenied."""
    require_launcher(user)
    if (row := ProtocolVersion.objects.filter(name=name).order_by("number").first()) is None:
        raise Http404("There is no such protocol of this installation’s own.")
    if not may_add_version(name, user):
        raise PermissionDenied(_("Only who saved a protocol first, or an administrator, may do this."))
    return row


def _versions(row: Any) -> Rows:
    return ProtocolVersion._base_manager.filter(name=row.name)


def _why_no_title(row: Campaign, title: str) -> Reason | None:
    """As at the launch: annotators read it."""
    names = systems_named(row.dataset, title)[0]
    return reasons.TITLE_NAMES_SYSTEMS(systems=", ".join(names)) if names else None


CAMPAIGNS = Subject(
    kind="campaign",
    model=Campaign,
    title=_("Campaigns"),
    audit=AuditEntry.Subject.CAMPAIGN,
    name="title",
    find=lambda user, slug: campaign_for(user, slug, Right.MANAGE),
    may_delete=lambda user, row: Right.INVITE in rights_in(row, user),
    key=lambda row: row.slug,
    listing="home",
    page=lambda row: row.get_absolute_url(),
    unique=("slug",),
    goes_at_once=lambda row: row.status == Campaign.Status.DRAFT,
    why_no_name=_why_no_title,
    rename_note=_("Annotators read it, so let it name no system. Addresses and links stay as they are."),
    archive_note=_("Nobody can answer, no judge can run, and it is not shown to annotators."),
    stays_note=_("The dataset with its clips, protocols, judges, and the accounts of people who have a name."),
)
PROTOCOLS = Subject(
    kind="protocol",
    model=ProtocolVersion,
    title=_("Protocols"),
    audit=AuditEntry.Subject.PROTOCOL,
    name="title",
    find=_own_protocol,
    may_delete=lambda user, row: may_add_version(row.name, user),
    key=lambda row: row.name,
    listing="protocols",
    page=lambda row: row.get_absolute_url(),
    unique=("name",),
    rows=_versions,
    rename_note=_("Of all versions, in lists. What a saved version asks, its own title included, never changes."),
    archive_note=_("All of its versions; none can be chosen for a new campaign."),
    stays_note=_("Every campaign that asks by it: a campaign has a copy of its own."),
)

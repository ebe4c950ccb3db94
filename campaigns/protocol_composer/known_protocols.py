"""Every protocol that can be chosen: those that ship, and this installation's own."""

from dataclasses import dataclass
from itertools import groupby

from django.db.models import Count, QuerySet
from django.db.models.fields.json import KT
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from campaigns.models import Campaign, ProtocolVersion
from infrastructure.templatetags.wording import worded
from protocols import SHIPPED, Protocol

#: What is put before a rater, in the order of lists.
KINDS = {
    "pair": gettext_lazy("Two responses"),
    "single": gettext_lazy("One response"),
    "item": gettext_lazy("All responses to an item"),
}
Choices = list[tuple[str, list[tuple[str, str]]]]


@dataclass(frozen=True)
class Known:
    """A protocol that can be chosen; `row` is None for one that ships."""

    protocol: Protocol
    row: ProtocolVersion | None = None

    @property
    def reference(self) -> str:
        return f"{self.protocol.name}/{self.protocol.version}"

    @property
    def title(self) -> str:
        """As lists have it: an own protocol can be renamed, and what it asks stays what it was."""
        return self.row.title if self.row else self.protocol.title

    @property
    def choice(self) -> str:
        """Its value in forms: of a shipped protocol there is only the one version."""
        return self.reference if self.row else self.protocol.name

    def get_absolute_url(self) -> str:
        return reverse("protocol", args=[self.protocol.name, self.protocol.version])


def known_protocol(reference: str) -> Known | None:
    """What is called `name/version`, or only `name`: then it is the newest version."""
    name, _slash, version = reference.partition("/")
    shipped = SHIPPED.get(name)
    if shipped and version in ("", shipped.version):
        return Known(shipped)
    rows = ProtocolVersion.objects.filter(name=name, **({"version": version} if version else {}))
    row = rows.select_related("created_by").first()
    return Known(row.protocol, row) if row else None


def own_versions(*, archived: bool = False) -> list[list[ProtocolVersion]]:
    """The versions of every own protocol, newest first, the protocols by name."""
    rows = ProtocolVersion.objects.filter(archived_at__isnull=not archived).select_related("created_by")
    return [list(versions) for _name, versions in groupby(rows, key=lambda row: row.name)]


def uses() -> dict[tuple[str, str], int]:
    """How many campaigns ask by a protocol, by its name and version; the listening rule may be the campaign's own."""
    keys = {"name": KT("protocol_document__name"), "version": KT("protocol_document__version")}
    counted = Campaign.objects.order_by().values(**keys).annotate(n=Count("pk"))
    return {(row["name"], row["version"]): row["n"] for row in counted}


def campaigns_asking(protocol: Protocol) -> QuerySet[Campaign]:
    return Campaign.objects.filter(protocol_document__name=protocol.name, protocol_document__version=protocol.version)


def protocol_choices() -> Choices:
    """By kind: the shipped ones, the newest version of every own one, and then the older versions."""
    newest: dict[str, list[tuple[str, str]]] = {kind: _shipped(kind) for kind in KINDS}
    older: dict[str, list[tuple[str, str]]] = {kind: [] for kind in KINDS}
    seen: set[str] = set()
    for name, version, title, unit in ProtocolVersion.objects.filter(archived_at=None).values_list(
        "name", "version", "title", "unit"
    ):
        label = _("%(title)s, older version %(version)s") if name in seen else _("%(title)s, version %(version)s")
        choices = older if name in seen else newest
        choices[unit].append((f"{name}/{version}", label % {"title": title, "version": version}))
        seen.add(name)
    return [(str(title), newest[kind] + older[kind]) for kind, title in KINDS.items()]


def _shipped(kind: str) -> list[tuple[str, str]]:
    return [(name, worded(protocol.title)) for name, protocol in SHIPPED.items() if protocol.unit == kind]

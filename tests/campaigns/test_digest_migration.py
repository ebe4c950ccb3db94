"""Rows that were written when a protocol's digest was taken with all its defaults get the digest of today."""

import hashlib
import json
from importlib import import_module

import pytest
from django.apps import apps

from campaigns.models import Campaign, LabelSet, ProtocolVersion
from campaigns.protocol_composer.own_protocols import save_version
from protocols import SHIPPED, from_document, to_document
from tests.factories import make_campaign

pytestmark = pytest.mark.django_db
take_digests_anew = import_module("campaigns.migrations.0025_digests_without_defaults").take_digests_anew


def earlier(document: dict[str, object]) -> str:
    written = json.dumps(document, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(written.encode()).hexdigest()


def test_digests_of_campaigns_versions_and_labels_are_taken_anew() -> None:
    campaign = make_campaign(units=1)
    right = campaign.protocol_digest
    own = from_document(to_document(SHIPPED["hcot"]) | {"name": "ours"})
    version = save_version(own, user=campaign.created_by)
    Campaign.objects.update(protocol_digest=earlier(campaign.protocol_document))
    ProtocolVersion.objects.update(digest=earlier(version.document))
    named = {
        "ours": earlier(version.document), "shipped": earlier(to_document(SHIPPED["ccr"])), "nobody's": "f" * 64,
    }  # fmt: skip
    LabelSet.objects.bulk_create(
        LabelSet(dataset=campaign.dataset, name=name, protocol_digest=digest, created_by=campaign.created_by)
        for name, digest in named.items()
    )

    take_digests_anew(apps, None)

    assert Campaign.objects.get().protocol_digest == right
    assert ProtocolVersion.objects.get().digest == version.digest
    of = dict(LabelSet.objects.values_list("name", "protocol_digest"))
    assert of["ours"] == version.digest
    assert of["shipped"] == "65733f3413450f69322c9c93930efcb682d75f8b2d4bda27caa763d247e8a8c9"
    assert of["nobody's"] == "f" * 64

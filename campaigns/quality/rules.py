"""The rules of a campaign: which differ from the defaults, and who changed them when."""

from collections.abc import Mapping

from django.db import transaction

from accounts.models import User
from campaigns.models import Campaign, QualityRules
from campaigns.quality.rule import Rule, read_rule


@transaction.atomic
def set_rules(campaign: Campaign, *, rules: Mapping[str, Rule], user: User) -> QualityRules | None:
    """Let these rules hold from now on, instead of all there were; None if they are those that hold."""
    Campaign.objects.select_for_update().get(pk=campaign.pk)
    if declared_rules(campaign) == dict(rules):
        return None
    document = {name: rule.document() for name, rule in rules.items()}
    return QualityRules.objects.create(campaign=campaign, rules=document, made_by=user)


def declared_rules(campaign: Campaign) -> dict[str, Rule]:
    """The rules that were set; every other signal has its default."""
    return rules_in(newest_rules(campaign))


def newest_rules(campaign: Campaign) -> QualityRules | None:
    return campaign.quality_rules.order_by("-pk").first()


def rules_in(row: QualityRules | None) -> dict[str, Rule]:
    return {name: read_rule(document) for name, document in row.rules.items()} if row else {}

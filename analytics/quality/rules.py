"""The rules of a campaign as they hold: its own, and the default of every signal that it leaves alone."""

from analytics.quality.evaluation import default_rules
from analytics.quality.signals import SIGNALS
from campaigns.models import Campaign, QualityRules
from campaigns.quality.rule import Rule
from campaigns.quality.rules import newest_rules, rules_in


def rules_of(campaign: Campaign) -> dict[str, Rule]:
    """One rule for every signal. A rule of a signal that is no more holds for nobody."""
    return rules_by(newest_rules(campaign))


def rules_by(row: QualityRules | None) -> dict[str, Rule]:
    declared = rules_in(row)
    return {name: declared.get(name, default) for name, default in default_rules().items()}


def differing(rules: dict[str, Rule]) -> dict[str, Rule]:
    """Those that are not the defaults, so that a better default reaches those who never chose."""
    return {name: rule for name, rule in rules.items() if rule != SIGNALS[name].default}

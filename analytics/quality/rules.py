"""The rules of a campaign as they hold: its own, and the default of every signal that it leaves alone."""

from analytics.quality.evaluation import default_rules
from campaigns.models import Campaign, QualityRules
from campaigns.quality.rule import Rule
from campaigns.quality.rules import newest_rules, rules_in


def defaults_of(campaign: Campaign) -> dict[str, Rule]:
    """The default rules. Only arenas create their units as people vote."""
    return default_rules(arena=campaign.is_open_ended)


def rules_of(campaign: Campaign) -> dict[str, Rule]:
    """One rule for every signal. A rule of a removed signal is ignored."""
    return rules_by(campaign, newest_rules(campaign))


def rules_by(campaign: Campaign, row: QualityRules | None) -> dict[str, Rule]:
    declared = rules_in(row)
    return {name: declared.get(name, default) for name, default in defaults_of(campaign).items()}


def differing(campaign: Campaign, rules: dict[str, Rule]) -> dict[str, Rule]:
    """Those that are not the defaults, so that a better default reaches those who never chose."""
    defaults = defaults_of(campaign)
    return {name: rule for name, rule in rules.items() if rule != defaults[name]}

"""The section of language models in the administration."""

from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from infrastructure.administration.sections import Level, Section, State
from judges.language_models.use import use_of_models


def models_state() -> State:
    found = use_of_models()
    line = ngettext("%(n)s model in force", "%(n)s models in force", len(found)) % {"n": len(found)}
    line += gettext(", $%(usd)s spent this month") % {"usd": f"{sum(it.spent_usd for it in found):.2f}"}
    if failing := [it.model.title for it in found if it.last_fault]:
        to_do = gettext("The last calls failed: %(models)s. Test the connection.") % {"models": ", ".join(failing)}
        return State(line, Level.WARNING, to_do)
    return State(line)


SECTIONS = (
    Section(
        "administration-models", 70, _("Models and keys"), _("Whose keys are kept, and what they cost"), models_state
    ),
)

"""Every template can be compiled: a filter that is not loaded fails only where its page is opened."""

from django.template import TemplateSyntaxError
from django.template.loader import get_template

from tests.paths import PROJECT


def test_every_template_compiles() -> None:
    folder = PROJECT / "templates"
    names = [str(path.relative_to(folder)) for path in sorted(folder.rglob("*.*"))]
    faults = {}
    for name in names:
        try:
            get_template(name)
        except TemplateSyntaxError as fault:
            faults[name] = str(fault)

    assert len(names) > 150
    assert faults == {}

"""Filling in the builder as a browser does, for tests."""

from html.parser import HTMLParser

from campaigns.protocol_composer.composition import Composition, filled_in


class FormReader(HTMLParser):
    """What a browser would post of the form with this id, in the order of the page."""

    def __init__(self, form: str) -> None:
        super().__init__()
        self.form = form
        self.inside = 0
        self.data: dict[str, str] = {}
        self.options: list[tuple[str, bool]] = []
        self.name = ""
        self.text: list[str] | None = None

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        found = {name: value or "" for name, value in attributes}
        if tag == "form":
            self.inside = 1 if found.get("id") == self.form else 0
        if tag == "template":
            self.inside += 1
        if self.inside != 1 or not (name := found.get("name")):
            if tag == "option" and self.inside == 1:
                self.options.append((found.get("value", ""), "selected" in found))
            return
        if tag == "select":
            self.name, self.options = name, []
        elif tag == "textarea":
            self.name, self.text = name, []
        elif found.get("type") not in ("checkbox", "radio") or "checked" in found:
            self.data[name] = found.get("value", "on" if found.get("type") == "checkbox" else "")

    def handle_data(self, data: str) -> None:
        if self.text is not None:
            self.text.append(data)

    def handle_endtag(self, tag: str) -> None:
        if tag == "form":
            self.inside = 0
        if tag == "template":
            self.inside -= 1
        if tag == "textarea" and self.text is not None:
            self.data[self.name] = "".join(self.text).removeprefix("\n").replace("\n", "\r\n")
            self.text = None
        if tag == "select" and self.inside == 1:
            chosen = [value for value, selected in self.options if selected] or [self.options[0][0]]
            self.data[self.name] = chosen[0]


def form_of(page: bytes, form: str = "builder") -> dict[str, str]:
    """The fields of the page's form as they would be posted."""
    reader = FormReader(form)
    reader.feed(page.decode())
    reader.data.pop("csrfmiddlewaretoken", None)
    return reader.data


def posted(composition: Composition) -> dict[str, str]:
    """The fields of these forms as they would be posted."""
    return {name: value for form in composition.forms for name, value in filled_in(form).items()}

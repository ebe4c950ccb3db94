"""What every chart on a page has: titles, the ends of its scale, shapes between them, and the same in words."""

import re

from lxml import html


def assert_charts(page: str, *, planes: int, marks: int = 0) -> None:
    """The page has so many charts that stand alone and so many small ones, each complete."""
    tree = html.fromstring(page)
    alone, small = tree.xpath("//figure[@class='chart' or @class='chart wide']"), _marks(tree)
    assert (len(alone), len(small)) == (planes, marks)
    for chart in alone:
        _check_plane(chart)
    for mark in small:
        _check_mark(mark)
    _check_rows(tree)


def _marks(tree: html.HtmlElement) -> list[html.HtmlElement]:
    """Those of a key have nothing to be measured on."""
    found = tree.xpath("//*[local-name()='svg' and @class='chart-mark']")
    return [it for it in found if not it.xpath("ancestor::*[contains(@class, 'chart-key')]")]


def _check_plane(chart: html.HtmlElement) -> None:
    (drawing,) = chart.xpath(".//*[local-name()='svg']")
    titles = _words(drawing, "axis-title")
    assert len(titles) == 2
    assert all(titles)
    assert len(_words(drawing, "of-x")) >= 2
    assert len(_words(drawing, "of-y")) >= 2
    assert chart.xpath("string(figcaption)").strip()
    assert drawing.get("role") == "img"
    assert all(title in drawing.get("aria-label") for title in titles)
    assert chart.xpath(".//table//td | //table//td"), "nothing says it in words"
    _check_places(drawing)


def _check_mark(mark: html.HtmlElement) -> None:
    """The ends of its axis stand beside it, or once in the head of its column, whose text is the title."""
    assert mark.get("aria-label") or mark.get("aria-hidden") == "true"
    cell = next(mark.iterancestors("td"), None)
    if cell is None:
        (ends,) = mark.getparent().xpath("./*[@class='chart-ends']")
        assert len([it for it in ends.itertext() if it.strip()]) == 3
    else:
        at = len(cell.xpath("preceding-sibling::td | preceding-sibling::th"))
        head = next(mark.iterancestors("table")).xpath("./thead/tr/th")[at]
        assert len(head.xpath(".//*[@class='chart-ends']")) == 1
        assert "".join(head.xpath(".//text()[not(ancestor::*[@class='chart-ends'])]")).strip()
        assert cell.xpath("string(.)").strip() or mark.get("aria-label"), "nothing says it in words"
    _check_places(mark)


def _check_rows(tree: html.HtmlElement) -> None:
    """In a column of marks, a row without one says why in a word."""
    for head in tree.xpath("//table/thead/tr/th[.//*[@class='chart-ends']]"):
        at = len(head.xpath("preceding-sibling::th"))
        for row in next(head.iterancestors("table")).xpath("./tbody/tr[not(*[@colspan])]"):
            (cell,) = row.xpath(f"./*[{at + 1}]")
            said = cell.xpath("string(.)").strip() + "".join(row.xpath(f"./*[{at + 2}]//text()")).strip()
            assert cell.xpath(".//*[local-name()='svg']") or said.strip("–"), html.tostring(row)


def _words(drawing: html.HtmlElement, look: str) -> list[str]:
    return [" ".join(it.itertext()).strip() for it in drawing.xpath(f".//*[local-name()='text' and @class='{look}']")]


def _check_places(drawing: html.HtmlElement) -> None:
    """No path begins outside the drawing, and intervals neither begin nor end there."""
    _x, _y, width, height = map(float, (drawing.get("viewBox") or drawing.get("viewbox")).split())
    for path in drawing.xpath(".//*[local-name()='path']"):
        d = path.get("d")
        for x, y in re.findall(r"[ML](\S+?) ([^A-Za-z]+)", d):
            assert 0 <= float(x) <= width, d
            assert 0 <= float(y) <= height, d
        assert all(0 <= float(x) <= width for x in re.findall(r"H([^A-Za-z]+)", d)), d

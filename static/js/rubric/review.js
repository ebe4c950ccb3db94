// Keys for the review of an item's criteria. A button or a link with `data-key` is pressed by its key: in the criterion
// that has the focus, or anywhere on the page. The first criterion that waits has the focus when the page opens.

const criteria = [...document.querySelectorAll("[data-criterion]")];
let marked = criteria.find((one) => "waits" in one.dataset) ?? criteria[0];

function mark(criterion) {
  if (!criterion) return;
  marked?.removeAttribute("data-marked");
  marked = criterion;
  marked.setAttribute("data-marked", "");
  marked.focus({ preventScroll: false });
}

function keepText(event) {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
    event.target.form.querySelector("[value=edit], [value=add]").click();
  } else if (event.key === "Escape") {
    (event.target.closest("[data-criterion]") ?? marked)?.focus();
  }
}

function press(event) {
  if (event.target.matches("textarea, input, select")) return keepText(event);
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
  const key = event.key.toLowerCase();
  if (key === "j" || key === "k") return mark(criteria[criteria.indexOf(marked) + (key === "j" ? 1 : -1)]);
  if (key === "e") {
    event.preventDefault();
    return (marked?.querySelector("textarea") ?? document.querySelector("[data-own]"))?.focus();
  }
  const target = marked?.querySelector(`[data-key="${key}"]`) ?? document.querySelector(`nav [data-key="${key}"]`);
  target?.click();
}

document.addEventListener("keydown", press);
for (const criterion of criteria)
  criterion.addEventListener("focusin", () => {
    if (marked !== criterion) marked?.removeAttribute("data-marked");
    marked = criterion;
    criterion.setAttribute("data-marked", "");
  });
if (marked && "waits" in marked.dataset) mark(marked);

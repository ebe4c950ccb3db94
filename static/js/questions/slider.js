// A slider is no answer before it was touched: the hidden field beside it has the answer, and is empty until then.
// It works for every slider on the page, also for those that come later.

function part(element, name) {
  return element.closest("[data-slider]").querySelector(name);
}

function draw(slider) {
  const range = slider.querySelector("[type=range]");
  const { value } = slider.querySelector("[data-answer]");
  slider.toggleAttribute("data-answered", value !== "");
  if (value === "") range.value = (Number(range.min) + Number(range.max)) / 2;
  else range.value = value;
  range.setAttribute("aria-valuetext", value || range.dataset.unanswered);
  slider.querySelector("[data-value]").textContent = value || "–";
}

function take(range) {
  part(range, "[data-answer]").value = range.value;
  draw(range.closest("[data-slider]"));
}

function drawIn(element) {
  for (const slider of element.querySelectorAll("[data-slider]")) draw(slider);
}

// Before the form hears of it, so that it finds the answer.
document.addEventListener(
  "input",
  ({ target }) => target.matches("[data-slider] [type=range]") && take(target),
  true,
);
// Where it stands already: a press that does not move it is an answer, too. A finger on a range makes no click.
document.addEventListener("pointerup", ({ target }) => {
  if (!target.matches("[data-slider] [type=range]:enabled")) return;
  take(target);
  target.dispatchEvent(new Event("change", { bubbles: true }));
});
// The answer came from elsewhere: a draft, what was answered before, a question that is no longer put.
document.addEventListener(
  "answered",
  ({ target }) => target.matches("[data-slider] *") && draw(target.closest("[data-slider]")),
  true,
);
document.addEventListener(
  "reset",
  ({ target }) => {
    for (const answer of target.querySelectorAll("[data-slider] [data-answer]")) answer.value = "";
    drawIn(target);
  },
  true,
);
drawIn(document);

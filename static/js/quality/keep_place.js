// A table that is fetched again stays where it was scrolled to: `data-keep-place` with an id.

const places = new Map();

document.addEventListener("htmx:beforeSwap", () => {
  for (const element of document.querySelectorAll("[data-keep-place]")) places.set(element.id, element.scrollLeft);
});

document.addEventListener("htmx:afterSwap", () => {
  for (const [id, left] of places) {
    const element = document.getElementById(id);
    if (element) element.scrollLeft = left;
  }
});

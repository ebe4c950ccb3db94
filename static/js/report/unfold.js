// Paper cannot be unfolded: tables that are folded are opened for the printer, and folded again afterwards.

const folded = "details.numbers-of:not([open])";
let opened = [];

function unfold() {
  for (const details of document.querySelectorAll(folded)) {
    details.open = true;
    opened.push(details);
  }
}

function fold() {
  for (const details of opened) details.open = false;
  opened = [];
}

addEventListener("beforeprint", unfold);
addEventListener("afterprint", fold);
matchMedia("print").addEventListener("change", (print) => (print.matches ? unfold() : fold()));

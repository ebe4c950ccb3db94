// A link to a recording becomes its player when it is clicked, so that a long table loads no sound by itself.

document.addEventListener("click", (event) => {
  const link = event.target.closest("a[data-listen]");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  for (const other of document.querySelectorAll("audio")) other.pause();
  const player = document.createElement("audio");
  player.controls = true;
  player.src = link.href;
  player.setAttribute("aria-label", link.getAttribute("aria-label") ?? link.textContent.trim());
  link.replaceWith(player);
  player.focus();
  player.play().catch(() => {}); // the browser may not let it; its own button is there
});

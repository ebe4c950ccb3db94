// Buttons that copy what stands in a field: `data-copy` has the field's id, `data-done` what to say then.

async function copied(field) {
  field.select();
  try {
    await navigator.clipboard.writeText(field.value);
    return true;
  } catch {
    return document.execCommand("copy"); // there is no clipboard over plain HTTP
  }
}

for (const button of document.querySelectorAll("[data-copy]")) {
  const text = button.innerHTML;
  button.addEventListener("click", async () => {
    if (!(await copied(document.getElementById(button.dataset.copy)))) return;
    button.textContent = document.querySelector("[data-copied]").textContent = button.dataset.done;
    setTimeout(() => (button.innerHTML = text), 2000);
  });
}

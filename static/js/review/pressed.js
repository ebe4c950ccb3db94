// A key presses the button or link that names it in `data-key`; none does while a person writes in a field.

export const FIELDS = "textarea, select, [contenteditable], input:not([type=radio], [type=checkbox])";

export function press(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || event.target.matches(FIELDS)) return false;
  const named = document.querySelector(`[data-key~="${CSS.escape(event.key.toLowerCase())}"]`);
  if (!named || named.disabled) return false;
  event.preventDefault();
  named.click();
  return true;
}

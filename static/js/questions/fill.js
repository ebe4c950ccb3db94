// Puts an answer into its question, as a draft or an earlier answer has it. A question whose answer is drawn by a script
// of its own hears "answered".

export function fill(form, name, value) {
  const field = form.elements.namedItem(name);
  if (!field) return;
  field.value = value;
  if (field instanceof Element) field.dispatchEvent(new Event("answered"));
}

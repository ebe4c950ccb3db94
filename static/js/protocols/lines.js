// Lists as they are written in the form: `value | label | anchor`, `question = answer`, `one, two`. The server reads
// them in the same way (campaigns/protocol_composer/lines.py).

// The parts of a line; a backslash takes a separator as it is, and `\n` is a new line.
export function cells(line, separator) {
  const parts = [""];
  for (let at = 0; at < line.length; at += 1) {
    const sign = line[at];
    if (sign === "\\") {
      at += 1;
      parts[parts.length - 1] += unescaped(line[at] ?? "", separator);
    } else if (sign === separator) parts.push("");
    else parts[parts.length - 1] += sign;
  }
  return parts.map((part) => part.trim());
}

function unescaped(sign, separator) {
  if (sign === "n") return "\n";
  return sign === separator || sign === "\\" ? sign : `\\${sign}`;
}

export function escaped(text, separator) {
  return text.replaceAll("\\", "\\\\").replaceAll(separator, `\\${separator}`).replaceAll("\n", "\\n");
}

export function words(text) {
  return text
    .split("\n")
    .flatMap((line) => cells(line, ","))
    .filter(Boolean);
}

export function pairs(text) {
  const lines = text.split("\n").filter((line) => line.trim());
  return lines.map((line) => cells(line, "=")).filter((parts) => parts.length === 2);
}

export function options(text) {
  const lines = text.split("\n").filter((line) => line.trim());
  return lines.map((line) => cells(line, "|")).map(([value, label]) => ({ value, label: label ?? value }));
}

export function writeWords(list) {
  return list.map((word) => escaped(word, ",")).join(", ");
}

export function writePairs(list) {
  return list.map((pair) => pair.map((part) => escaped(part, "=")).join(" = ")).join("\n");
}

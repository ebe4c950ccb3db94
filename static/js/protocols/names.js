// Names that follow titles until the user writes another. Those that came with the page stay: answers are kept
// under them.

const LONGEST = 60;

// A title as a name: small letters, digits and underscores, not beginning with a digit.
export function nameFrom(title) {
  const plain = title.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
  const name = plain.replace(/[^a-z0-9]+/g, "_").replace(/^_+|_+$/g, "");
  return (/^[0-9]/.test(name) ? `q_${name}` : name).slice(0, LONGEST);
}

export class Names {
  constructor(form) {
    this.form = form;
    this.proposed = new WeakMap();
    for (const title of form.querySelectorAll('[name="title"], [name$="-title"]')) {
      if (!this.nameOf(title).value) this.follow(title);
    }
    form.addEventListener("focusin", (event) => this.recognise(event.target));
    form.addEventListener("input", (event) => this.propose(event.target));
  }

  // From now on the name follows this title; `proposed` remembers what was proposed last.
  follow(title) {
    this.proposed.set(title, this.nameOf(title).value);
    this.propose(title);
  }

  // A draft that was brought back has its names already.
  recognise(title) {
    if (!this.proposed.has(title)) return;
    const name = this.nameOf(title).value;
    if (name === nameFrom(title.value)) this.proposed.set(title, name);
  }

  propose(title) {
    if (!this.proposed.has(title)) return;
    const name = this.nameOf(title);
    if (name.value !== this.proposed.get(title)) return;
    name.value = this.unlikeOthers(nameFrom(title.value), name);
    this.proposed.set(title, name.value);
  }

  nameOf(title) {
    return this.form.elements[title.name.replace(/title$/, "name")];
  }

  unlikeOthers(name, own) {
    if (own.name === "name" || !name) return name;
    const others = [...this.form.querySelectorAll('[name^="aspect-"][name$="-name"]')].filter((one) => one !== own);
    const taken = new Set(others.map((one) => one.value));
    let free = name;
    for (let n = 2; taken.has(free); n += 1) free = `${name}_${n}`;
    return free;
  }
}

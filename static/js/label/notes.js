// Defects marked in the clips: pressed once where one begins and again where it ends. They travel as one hidden
// field, so that drafts keep them like any other answer.

const SHORTEST = 0.1;

export class Notes {
  constructor(form, players) {
    this.form = form;
    this.players = players;
    this.box = form.querySelector("[data-notes]");
    this.field = this.box.querySelector('[name="note.marks"]');
    this.list = this.box.querySelector("[data-marks]");
    this.row = this.box.querySelector("[data-mark-row]");
    this.status = this.box.querySelector("[data-mark-status]");
    this.button = this.box.querySelector("[data-mark]");
    this.began = null;
    this.button.addEventListener("click", () => this.mark());
    this.draw();
    if (this.marks().length || this.box.querySelector("textarea").value) this.box.open = true;
  }

  marks() {
    return JSON.parse(this.field.value || "[]");
  }

  mark() {
    const now = this.players.now();
    this.box.open = true;
    if (!now) return this.say(this.status.dataset.play);
    if (this.began?.clip !== now.clip) {
      this.began = now;
      return this.say(this.status.dataset.began.replace("#", this.where(now.clip, now.seconds)));
    }
    const [start, end] = [this.began.seconds, now.seconds].sort((a, b) => a - b);
    this.began = null;
    const longest = Math.max(end, start + SHORTEST);
    this.keep([...this.marks(), { clip: now.clip, start: round(start), end: round(longest), kind: "glitch" }]);
    this.sayKind();
  }

  // What the last defect is: the kind after the one it has.
  nextKind() {
    const kind = this.list.lastElementChild?.querySelector("select");
    if (!kind) return;
    kind.selectedIndex = (kind.selectedIndex + 1) % kind.options.length;
    this.keepKind(this.list.childElementCount - 1, kind.value);
    this.sayKind();
  }

  sayKind() {
    const kind = this.list.lastElementChild.querySelector("select").selectedOptions[0].text;
    this.say(this.status.dataset.marked.replace("#", kind));
  }

  keepKind(nth, kind) {
    this.keep(this.marks().map((one, place) => (place === nth ? { ...one, kind } : one)));
  }

  keep(marks) {
    this.field.value = marks.length ? JSON.stringify(marks) : "";
    this.field.dispatchEvent(new Event("change", { bubbles: true }));
    this.draw();
  }

  draw() {
    this.list.replaceChildren(...this.marks().map((mark, nth) => this.rowOf(mark, nth)));
  }

  rowOf(mark, nth) {
    const row = this.row.content.cloneNode(true);
    const kind = row.querySelector("select");
    row.querySelector("[data-mark-where]").textContent = this.where(mark.clip, mark.start, mark.end);
    kind.value = mark.kind;
    kind.addEventListener("change", () => {
      this.keepKind(nth, kind.value);
      this.list.children[nth].querySelector("select").focus();
    });
    row.querySelector("[data-mark-remove]").addEventListener("click", () => {
      this.keep(this.marks().filter((_, place) => place !== nth));
      this.button.focus();
    });
    return row;
  }

  where(clip, ...seconds) {
    const [place, turn] = clip.split("-");
    const element = this.form.querySelector(`[data-place="${place}"][data-turn="${turn}"]`);
    const turns = this.form.querySelectorAll(`[data-place="${place}"]`).length;
    const name = element.querySelector("[data-play]").dataset.name + (turns > 1 ? ` (${turn})` : "");
    return `${name}, ${seconds.map(tenths).join("–")} s`;
  }

  say(text) {
    this.status.textContent = text;
  }
}

function tenths(seconds) {
  const digits = { minimumFractionDigits: 1, maximumFractionDigits: 1 };
  return seconds.toLocaleString(document.documentElement.lang, digits);
}

function round(seconds) {
  return Math.round(seconds * 100) / 100;
}

// The one socket of a page: subscribes to topics, receives numbers, and reconnects when it is lost. Does not use the DOM.

const FIRST_WAIT_MS = 1000;
const LONGEST_WAIT_MS = 30_000;

// How long to wait before the n-th attempt in a row: twice as long each time, and never just when all others try.
export function waitBefore(attempt, random = Math.random) {
  const longest = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** attempt);
  return longest / 2 + (random() * longest) / 2;
}

export class Channel {
  // `open` makes a WebSocket; `onNews` gets a topic with something new; `onState` whether it is open.
  // Browsers refuse to be asked for a timer as a method of anything but the window, so both are wrapped.
  constructor({ open, onNews, onState = () => {}, random = Math.random, ...timers }) {
    const { later = (work, wait) => setTimeout(work, wait), cancel = (timer) => clearTimeout(timer) } = timers;
    Object.assign(this, { open, onNews, onState, later, cancel, random });
    this.topics = new Set();
    this.numbers = new Map();
    this.socket = null;
    this.isOpen = false;
    this.attempt = 0;
    this.timer = null;
  }

  // The topics that are wanted from now on; with none of them the socket is closed.
  watch(topics) {
    const wanted = new Set(topics);
    const same = wanted.size === this.topics.size && [...wanted].every((topic) => this.topics.has(topic));
    this.topics = wanted;
    if (!wanted.size) this.stop();
    else if (!this.socket && this.timer === null) this.start();
    else if (this.isOpen && !same) this.ask();
  }

  start() {
    this.timer = null;
    if (this.socket || !this.topics.size) return;
    const socket = this.open();
    this.socket = socket;
    socket.onopen = () => {
      this.isOpen = true;
      this.ask();
    };
    socket.onmessage = (event) => socket === this.socket && this.hear(JSON.parse(event.data));
    socket.onclose = () => socket === this.socket && this.lost();
  }

  stop() {
    const { socket } = this;
    this.socket = null;
    this.isOpen = false;
    if (this.timer !== null) this.cancel(this.timer);
    this.timer = null;
    socket?.close();
    this.onState(false);
  }

  ask() {
    this.socket.send(JSON.stringify({ watch: [...this.topics] }));
  }

  hear(said) {
    if (said.watching) {
      this.attempt = 0;
      const all = [...this.topics].every((topic) => said.watching.includes(topic));
      this.onState(all);
      // What happened between the page and now was not heard.
      for (const topic of said.watching) this.onNews(topic);
    } else if (this.topics.has(said.topic) && said.number > (this.numbers.get(said.topic) ?? -1)) {
      this.numbers.set(said.topic, said.number);
      this.onNews(said.topic);
    }
  }

  lost() {
    this.socket = null;
    this.isOpen = false;
    this.onState(false);
    this.timer = this.later(() => this.start(), waitBefore(this.attempt, this.random));
    this.attempt += 1;
  }
}

// The players of one unit. Only one of them sounds at a time.

import { ClipPlayer } from "../player/clip_player.js";

export class Players {
  constructor(root, log, onHeard) {
    this.log = log;
    this.last = null;
    this.all = [...root.querySelectorAll("[data-clip]")].map(
      (element) =>
        new ClipPlayer(element, {
          onPlay: (player) => this.begin(player),
          onPlayed: (player, start, end) => {
            log.played(clipName(player), start, end);
            onHeard();
          },
        }),
    );
    for (const player of this.all) player.load().then(onHeard);
  }

  play(place) {
    const turns = this.all.filter((player) => player.place === place);
    const at = turns.indexOf(this.last);
    // In a conversation the same key goes on to the next turn once one was heard.
    const next = at >= 0 && turns[at].hasEnded() ? (at + 1) % turns.length : Math.max(at, 0);
    turns[next]?.play({ fromStart: true });
  }

  pauseOrResume() {
    this.last?.toggle();
  }

  // Where in which clip the annotator is.
  now() {
    if (!this.last) return null;
    return { clip: clipName(this.last), seconds: this.last.position() };
  }

  // The players of clips of which the rule asks more than was heard.
  unheard() {
    return this.all.filter((player) => !this.log.isHeard(clipName(player), player.state.duration || Infinity));
  }

  begin(playing) {
    this.log.began(clipName(playing));
    this.last = playing;
    for (const player of this.all) if (player !== playing) player.pause();
  }

  dispose() {
    for (const player of this.all) player.dispose();
  }
}

function clipName(player) {
  return `${player.place}-${player.element.dataset.turn}`;
}

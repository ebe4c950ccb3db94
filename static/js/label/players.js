// The players of one unit. Only one of them sounds at a time.

import { ClipPlayer } from "../player/clip_player.js";

export class Players {
  constructor(root) {
    this.all = [...root.querySelectorAll("[data-clip]")].map(
      (element) => new ClipPlayer(element, { onPlay: (player) => this.silenceOthers(player) }),
    );
    this.last = null;
    for (const player of this.all) player.load();
  }

  play(place) {
    this.all.find((player) => player.place === place)?.play({ fromStart: true });
  }

  pauseOrResume() {
    this.last?.toggle();
  }

  silenceOthers(playing) {
    this.last = playing;
    for (const player of this.all) if (player !== playing) player.pause();
  }

  dispose() {
    for (const player of this.all) player.dispose();
  }
}

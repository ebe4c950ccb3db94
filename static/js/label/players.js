// The players of one unit. Only one of them sounds at a time.

import { ClipPlayer } from "../player/clip_player.js";
import { areTwins, continuation, turnMeant } from "../player/switching.js";
import { isUsable } from "../player/transport.js";

export class Players {
  // `prefetch` may hold this unit's clips already, and gets a call when the next one's can be fetched.
  constructor(root, log, onHeard, prefetch = null) {
    this.root = root;
    this.log = log;
    this.prefetch = prefetch;
    this.last = null;
    this.synchronised = root.dataset.playback === "synchronised";
    const on = {
      play: (player, at) => this.begin(player, at),
      played: (player, start, end) => {
        log.played(clipName(player), start, end);
        onHeard();
      },
      loop: (player) => this.loop(player),
      loaded: () => {
        onHeard(); // what is asked of a clip may depend on its length
        this.lookAhead();
      },
      isHeard: (player) => log.isMarked(clipName(player), player.state.duration),
    };
    this.all = [...root.querySelectorAll("[data-clip]")].map((element) => new ClipPlayer(element, on));
    const ready = prefetch?.take(root.dataset.assignment) ?? {};
    for (const player of this.all) player.load(ready[clipName(player)]);
  }

  play(place) {
    const turns = this.all.filter((player) => player.place === place);
    if (turns.length) turnMeant(turns, this.last).play({ fromStart: true });
  }

  pauseOrResume() {
    this.last?.toggle();
  }

  // The first call sets where a loop begins, the second where it ends, the third ends it.
  loop(player = this.last) {
    if (!player || !isUsable(player.state)) return;
    player.loop();
    for (const twin of this.twinsOf(player)) twin.takeLoop(player.state.loop);
  }

  // Where the clip is that was played last.
  now() {
    if (!this.last) return null;
    return { clip: clipName(this.last), seconds: this.last.position() };
  }

  // The names of clips of which the rule asks more than was heard.
  unheard() {
    const several = this.all.some((player) => player.turn !== this.all[0].turn);
    return this.all
      .filter((player) => !this.log.isHeard(clipName(player), player.state.duration || Infinity))
      .map((player) => (several ? `${player.name} (${player.turn})` : player.name));
  }

  // One begins and the others fall silent. Returns where it begins if that follows from where another one was.
  begin(playing, at) {
    const others = this.all.filter((player) => player !== playing);
    for (const player of others) player.wanted = false;
    if (!isUsable(playing.state)) return null;
    const goesOn = this.twinsOf(playing).includes(this.last);
    const position = goesOn ? continuation(this.last.state, playing.state, at) : null;
    for (const player of others) player.leave(at);
    this.log.began(clipName(playing));
    this.last = playing;
    return position;
  }

  // Those that share a playhead and a loop with it.
  twinsOf(player) {
    return this.synchronised ? this.all.filter((other) => areTwins(player, other)) : [];
  }

  lookAhead() {
    if (!this.all.every((player) => isUsable(player.state))) return;
    this.prefetch?.begin(this.root.dataset.nextUrl);
    this.prefetch = null;
  }

  dispose() {
    this.prefetch = null;
    for (const player of this.all) player.dispose();
  }
}

function clipName(player) {
  return `${player.place}-${player.turn}`;
}

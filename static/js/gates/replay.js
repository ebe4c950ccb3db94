// The clips of a training unit, to be heard again beside what was expected.

import { Sounds } from "./sounds.js";

new Sounds(document.querySelector("[data-replay]"));

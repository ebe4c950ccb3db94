// The page of one protocol: its form can be tried out.

import { forgetSent } from "./draft.js";
import { Preview } from "./preview.js";

new Preview(document.querySelector("#preview"));
if (document.querySelector(".messages .saved")) forgetSent();

// A bot of the Node kit that takes the first legal action: what a decision costs through the kit alone.

import { run } from "../../bots/node/kit/arena_kit.mjs";

run({ decide: (decision) => decision.legalActions[0] });

// A bot that computes for SHARE of limit and margin at every decision, as the way "compute" of busy_bot.py does.
//
//     node busy_bot.mjs SHARE

import { run } from "../../bots/node/kit/arena_kit.mjs";

const share = Number(process.argv[2]);

function computedUs() {
  const { user, system } = process.cpuUsage();
  return user + system;
}

function decide(decision) {
  const from = computedUs(), wanted = share * 150_000;
  while (computedUs() - from < wanted);
  process.stderr.write(`computed ${computedUs() - from}\n`);
  return decision.legalActions[0];
}

run({ name: "busy", decide });

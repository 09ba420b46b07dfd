"""@NAME@ plays @GAME@. It reads a line for each event, and answers each decision with a line.

arena bot test DIRECTORY plays it here against the samples. `arena game rules @GAME@` tells the rules,
the keys of an observation and the notation of the actions; docs/write-a-bot.md of the arena tells everything
else. What it writes to stderr is kept with the match. Change how it chooses.
"""

import json
import random
import sys

for line in sys.stdin:
    event = json.loads(line)
    if "match_started" in event:  # one process plays many matches: forget the last one here
        random.seed(event["match_started"]["seed"])  # draw from this seed only, and the match can be repeated
    elif "decide" in event:
        decision = event["decide"]
        choice = random.choice(decision["legal_actions"])  # an id
        # The Foreign King: the King's first walk, from his portrait, costs nothing.
        if decision["observation"].get("king") == "portrait" and "ACT_KING" in decision["legal_names"]:
            choice = "ACT_KING"  # or a notation
        print(json.dumps(choice), flush=True)  # an answer that stays in a buffer comes too late

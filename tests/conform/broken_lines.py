"""A bot of a few lines that speaks JSON lines, and has one defect on demand: one for each rule.

It is a program of its own, which takes the defect as its argument, and imports nothing of this repository.
"""

from __future__ import annotations

import json
import os
import select
import sys
import time
from typing import Any, NoReturn

LITTLE_TIME_US = 250_000
THINKS_S, LOOKS_S = 2.0, 0.3
KNOWN_KEYS = {
    "joined": {"protocol_major", "protocol_minor", "games"},
    "decide": {"match_id", "ply", "observation", "legal_actions", "legal_names", "events"}
    | {"bank_us", "time_limit_us", "dropped_actions"},
}


class Bot:
    """What the bot knows, and its defect."""

    def __init__(self, defect: str) -> None:
        self.defect = defect
        self.first_game = self.match = ""
        self.decisions = 0
        self.buffer = b""
        self.out = os.fdopen(os.dup(1), "w", buffering=1 << 16)

    def fails(self, rule: str, condition: bool = True) -> None:
        """End with an error if the bot has that defect and the condition holds."""
        if self.defect == rule and condition:
            sys.exit(f"broken on purpose: {rule}")

    def read(self) -> bytes:
        """Return the next line, or nothing at the end."""
        while b"\n" not in self.buffer and (data := os.read(0, 1 << 16)):
            self.buffer += data
        line, _, self.buffer = self.buffer.partition(b"\n")
        return line

    def say(self, what: object) -> None:
        self.out.write(what if isinstance(what, str) else json.dumps(what))
        self.out.write("\n")
        if self.defect != "flushes":
            self.out.flush()

    def joined(self, joined: dict[str, Any]) -> None:
        self.fails("accepts-minor", joined["protocol_minor"] != 0)
        self.fails("large-joined", len(json.dumps(joined)) > 200_000)
        if self.defect == "stdout-answers":
            self.say("Hello, I am ready.")

    def match_started(self, started: dict[str, Any]) -> None:
        self.first_game = self.first_game or started["game"]
        self.match, self.decisions = started["match_id"], 0
        self.fails("other-game", started["game"] != self.first_game)
        self.fails("other-seats", started["seats"] > 3)
        self.fails("opening-events", bool(started["events"]) and not started["resumed"])
        self.fails("resumed", started["resumed"])
        self.fails("large-seed", started["seed"] >= 2**31)
        self.fails("unknown-options", "of_tomorrow" in started["options"])

    def decide(self, decide: dict[str, Any]) -> None:
        self.decisions += 1
        self.fails("act-answers")
        self.fails("whole-match", self.decisions > 8)
        kinds = [reveal["kind"] for event in decide["events"] for reveal in event["reveals"]]
        self.fails("chance-events", any(kind.endswith("tomorrow") for kind in kinds))
        self.fails("empty-events", not decide["events"])
        self.fails("dropped-actions", decide["dropped_actions"] > 0)
        self.fails("bank-clock", decide["bank_us"] > 0)
        self.fails("untimed", not decide["time_limit_us"])
        self.fails("large-decide", len(json.dumps(decide)) > 1 << 20)
        self.think(decide)
        if self.defect != "silent":
            self.say(self.answer(decide))
        if self.defect == "act-once":
            self.say(self.answer(decide))

    def think(self, decide: dict[str, Any]) -> None:
        if self.defect == "little-time" and decide["time_limit_us"] == LITTLE_TIME_US:
            time.sleep(1.5 * decide["time_limit_us"] / 1e6)
        if self.defect == "finished-while-asked" and self.decisions == 2:
            self.fails("finished-while-asked", bool(self.buffer or select.select([0], [], [], THINKS_S)[0]))
        if self.defect in ("arena-lost", "end-in-match") and self.decisions == 1:
            self.wait_for_the_end()

    def wait_for_the_end(self) -> None:
        """If standard input has ended, wait until nobody reads an answer any more."""
        if select.select([0], [], [], LOOKS_S)[0]:
            looking = select.poll()
            looking.register(1, 0)  # it is told of an error alone
            looking.poll(THINKS_S * 1000)

    def answer(self, decide: dict[str, Any]) -> object:
        first = decide["legal_actions"][0]
        answers: dict[str, object] = {
            "act-match-id": {"actions": [first], "match_id": decide["match_id"][:36]},
            "act-ply": {"act": {"actions": [first], "ply": decide["ply"] + 1}},
            "act-count": [first] * 65,
            "act-legal": 1_000_000,
            "act-note": {"actions": [first], "note": "x" * 1001},
            "resign-match-id": {"resign": {"match_id": "another"}},
            "message-size": {"actions": [first], "note": "x" * 300_000},
        }
        return answers.get(self.defect, first)

    def match_finished(self, finished: dict[str, Any]) -> None:
        self.fails("no-decision", not self.decisions)
        self.fails("own-faults", bool(finished["faults"]))
        self.fails("others-forfeit", not finished["result"]["by_rules"])
        self.match = ""
        if self.defect == "several-matches":
            sys.exit(0)
        if self.defect == "no-unasked":
            self.say(0)
        if self.defect == "output":
            for _ in range(65):
                sys.stderr.write("x" * (1 << 20))

    def receive(self, message: dict[str, Any]) -> None:
        ((kind, content),) = message.items()
        is_known = kind in ("joined", "match_started", "decide", "match_finished")
        self.fails("ignores-events", not is_known)
        if is_known:
            self.fails("ignores-fields", kind == "decide" and bool({*content} - KNOWN_KEYS["decide"]))
            getattr(self, kind)(content)


def wait_for_ever() -> NoReturn:
    while True:
        time.sleep(3600)


def main() -> None:
    """Play with the defect that the command line names."""
    bot = Bot(sys.argv[1] if len(sys.argv) > 1 else "")
    if bot.defect == "reads-joined":
        wait_for_ever()
    try:
        while line := bot.read():
            bot.receive(json.loads(line))
    except BrokenPipeError:
        if bot.defect == "arena-lost":
            wait_for_ever()
        sys.exit(1)
    bot.fails("end-idle", not bot.match)
    if bot.defect == "end-in-match" and bot.match:
        wait_for_ever()


if __name__ == "__main__":
    main()

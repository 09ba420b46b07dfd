"""The zoo: one program, and a flag for every way in which a bot can be hostile.

    python -m tests.support.zoo [--do BEHAVIOUR] [--at N] [--aim NAME=VALUE ...] [--by LINK]

It plays as `scripted_bot` does, whose behaviours it knows as well. A deed is done at the N-th decision, which is then
answered with the first legal action and a note that says what came of it: a JSON object, attempt -> "done" or the
error. Deeds that would harm a host without a sandbox do nothing there (see `deeds.must_be_confined`).
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable

import grpc

from arena.v1 import play_pb2
from tests.support import scripted_bot
from tests.support.scripted_bot import Wire, act, say
from tests.support.zoo import calling, floods, greed, hiding, holes, prying, sleepless, talk
from tests.support.zoo.deeds import Aims, Deed

STARTS = {**scripted_bot.STARTS, **talk.STARTS, **greed.STARTS, **floods.STARTS, **holes.STARTS, **sleepless.STARTS}
ANSWERS = {
    **scripted_bot.ANSWERS,
    **talk.ANSWERS,
    **greed.ANSWERS,
    **floods.ANSWERS,
    **holes.ANSWERS,
    **sleepless.ANSWERS,
}
DEEDS: dict[str, Deed] = {**calling.DEEDS, **greed.DEEDS, **hiding.DEEDS, **prying.DEEDS, **sleepless.DEEDS}


def in_a_note(deed: Deed, aims: Aims) -> Callable[[Wire, play_pb2.Decide], None]:
    """An answer that does the deed first and tells of it."""

    def answer(wire: Wire, decide: play_pb2.Decide) -> None:
        outcome = json.dumps(deed(aims))[:1000]
        say("outcome:", outcome)
        wire.send_bytes(act(decide, decide.legal_actions[0], note=outcome))

    return answer


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--do", choices=[*STARTS, *ANSWERS, *DEEDS], default="")
    parser.add_argument("--at", type=int, default=0)
    parser.add_argument("--aim", action="append", default=[])
    parser.add_argument("--by", choices=scripted_bot.LINKS)  # read by the wire itself
    parser.add_argument("--mark", help="means nothing; by it a test finds the process")
    options = parser.parse_args()
    aims = dict(text.split("=", 1) for text in options.aim)
    scripted_bot.ANSWERS.update(ANSWERS)
    scripted_bot.ANSWERS.update({name: in_a_note(deed, aims) for name, deed in DEEDS.items()})
    try:
        if options.do in STARTS:
            STARTS[options.do]()
        else:
            scripted_bot.play(options.do, options.at)
    except grpc.RpcError as error:
        say("stream ended:", error.code().name, error.details())


if __name__ == "__main__":
    main()
    sys.stdout.flush()
    os._exit(0)  # a synchronous client with an open stream can hang at a normal exit

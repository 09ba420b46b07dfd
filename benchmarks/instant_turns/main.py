"""An instant bot that answers its whole turn at once with random legal actions."""

from bots.kit import Bot, Decision, decide_turn, run
from engine.core import State


class InstantTurnsBot(Bot):
    """Answers with random legal actions up to the end of its turn."""

    def decide(self, decision: Decision) -> list[int]:
        draw = decision.match.random.random

        def choose(state: State) -> int:
            legal = state.legal_actions()
            return legal[int(draw() * len(legal))]

        return decide_turn(decision.state(), choose)


if __name__ == "__main__":
    run(InstantTurnsBot())

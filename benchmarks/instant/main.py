"""An instant bot: the kit and nothing else, so that a benchmark measures the arena and not the bot."""

from bots.kit import Bot, Decision, run


class InstantBot(Bot):
    """Answers with a random legal action."""

    uses_engine = False

    def decide(self, decision: Decision) -> int:
        legal, draw = decision.legal_actions, decision.match.random.random
        return legal[int(draw() * len(legal))]


if __name__ == "__main__":
    run(InstantBot())

"""How bots that know nothing else of the game search it: `playable` offers it. No rule of the game stands here."""

"""How the sample bots play: algorithms that know no game. Knowledge of one game must never be in here."""

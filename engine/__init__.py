"""The rules of the games, for whoever plays them. Standard library only; nothing of the arena stands here."""

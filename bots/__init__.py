"""The kit for bots in Python, and sample bots. What only the arena needs must never be in here."""

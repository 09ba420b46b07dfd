"""Archives of bots that are on their way here, kept piece by piece on the disk; no network, no database."""

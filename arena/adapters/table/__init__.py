"""The process that hosts the bots of other seats for one who plays in a process of his own (`arena.adapters.hosted`)."""

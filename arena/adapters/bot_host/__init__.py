"""The process that hosts bots for one who plays beside them from another process (`arena.adapters.hosted`)."""

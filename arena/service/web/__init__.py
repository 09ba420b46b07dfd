"""Pages for browsers as the coordinator sees them: a process of its own, which is kept running."""

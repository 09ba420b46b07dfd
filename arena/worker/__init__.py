"""The worker process, which plays matches: its loop, warm bots, starting, leak checks, endings and blame."""

"""Builds versions by their own build commands, in the sandbox; `arena.hosting.builds` keeps what they made."""

"""Bots that misbehave, each a real program; `tests/e2e/test_zoo.py` says what must become of them."""

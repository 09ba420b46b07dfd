"""Tests of `arena.app`: what may be asked of a database, and by whom."""

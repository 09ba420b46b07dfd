"""Tests of `arena.executor`."""

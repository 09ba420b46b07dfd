"""Tests of `arena.hosting.runtimes`."""

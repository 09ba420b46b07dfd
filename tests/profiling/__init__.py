"""Tests of `arena.profiling`."""

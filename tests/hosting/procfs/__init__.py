"""Tests of `arena.hosting.procfs`."""

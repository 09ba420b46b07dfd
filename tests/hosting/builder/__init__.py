"""Tests of `arena.hosting.builder`."""

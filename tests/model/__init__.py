"""Tests of `arena.model`."""

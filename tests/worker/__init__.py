"""Tests of `arena.worker`."""

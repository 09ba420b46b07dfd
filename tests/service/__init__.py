"""Tests of `arena.service`."""

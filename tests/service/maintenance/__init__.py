"""Tests of `arena.service.backup`."""

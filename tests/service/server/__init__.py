"""Tests of `arena.service.server`."""

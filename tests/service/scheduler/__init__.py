"""Tests of `arena.service.scheduler`."""

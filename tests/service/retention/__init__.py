"""Tests of `arena.service.retention`."""

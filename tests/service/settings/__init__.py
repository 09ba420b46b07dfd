"""Tests of `arena.service.settings`."""

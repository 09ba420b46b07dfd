"""Tests of `arena.service.life`."""

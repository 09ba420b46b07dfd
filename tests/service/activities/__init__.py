"""Tests of `arena.service.activities`."""

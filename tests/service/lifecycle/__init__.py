"""Tests of `arena.service.lifecycle`."""

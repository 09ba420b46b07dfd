"""Tests of `arena.service.keeping`."""

"""Tests of `ratings.ledger`."""

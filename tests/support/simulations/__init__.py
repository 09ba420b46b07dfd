"""Simulated fields and random playings, of which the tests look at a small share. Nothing is printed here."""

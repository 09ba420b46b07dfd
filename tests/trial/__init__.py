"""Tests of trial matches: what is planned, what they show, what is kept."""

"""Tests of chess between UCI engines, by OpenSpiel's rules."""

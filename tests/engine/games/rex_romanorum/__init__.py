"""Tests of `engine.games.rex_romanorum`."""

"""Tests of the bot that has a UCI engine play."""

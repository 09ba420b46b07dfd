"""Tests of the kit and of the sample bots."""

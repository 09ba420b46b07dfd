"""Seats for people in browsers: each is a client of PlayService, and plays by the same referee as a bot."""

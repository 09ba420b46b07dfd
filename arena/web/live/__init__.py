"""Matches while they are played, for spectators: one watch of the service for each match, however many look on."""

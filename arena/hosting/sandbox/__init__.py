"""Keeps bots apart from this machine and from each other: levels, limits, command lines, trials. It judges no match."""

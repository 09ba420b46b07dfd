"""Runtimes: what bots run in, as the organiser defines it, with its content and its hash. Starts no bot."""

"""Keeps a home for years: its backup and restoration, what is removed by age and size, what the disk will hold."""

"""The frozen rows that leave `ratings` unchanged: what is read is what the app gives, the wire carries and people see.

A file for each noun, so that who shows one pays for no other; standard library only.
"""

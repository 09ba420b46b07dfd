"""The message passing of TrueSkill on plain floats, by the very operations of the `trueskill` package. No I/O."""

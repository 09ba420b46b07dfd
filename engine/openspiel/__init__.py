"""The games of OpenSpiel, in the arena if OpenSpiel is installed; docs/openspiel.md says how to use them."""

"""Tests of the games of OpenSpiel. Those that play are run where OpenSpiel is installed: `make test-openspiel`."""

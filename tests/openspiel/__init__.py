"""Tests of the games of OpenSpiel. They are run where it is installed: `make test-all`."""

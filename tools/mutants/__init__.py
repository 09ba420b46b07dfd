"""Puts small faults into a copy of the code, one at a time, and looks whether the tests of their area notice."""

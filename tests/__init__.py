"""The checks of everything: the folders mirror the packages."""

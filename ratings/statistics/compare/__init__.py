"""The sequential test of whether a new version is better than an old one, over paired blocks. No I/O."""

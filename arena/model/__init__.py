"""The values that cross a border between processes or layers, and the interface behind every client. No I/O."""

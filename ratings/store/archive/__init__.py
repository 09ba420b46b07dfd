"""The file of an exported tournament: its lines and rows, common to exporting and importing. No queries."""

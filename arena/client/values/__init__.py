"""What crosses the interface: frozen values of plain fields, a file for each noun. No I/O."""

"""The compiled engine: what it is built into, that it does what the sources do, and what is said of a broken one."""

"""Control groups of the kernel, in which bots of level `strict` run: found, made, measured, frozen, removed."""

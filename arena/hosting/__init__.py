"""Bot processes of this machine: versions on disk, the launcher, the sandbox, /proc. It knows no games and no gRPC."""

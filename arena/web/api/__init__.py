"""The arena for programs: JSON under /api/v1 with its OpenAPI, a feed of results, badges."""

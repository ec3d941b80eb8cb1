"""The tools, one a file, and the registries of the modes."""

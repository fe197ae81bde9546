"""Stands for a module of a library that the packaged program never uses, and that the library loads all the same."""

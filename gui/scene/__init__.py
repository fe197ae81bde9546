"""The map of the graph, painted. Knows places, looks and a camera; nothing of the library, the panels or the notes."""

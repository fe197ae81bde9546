"""The parts of the window. A panel takes data by its methods and speaks by signals; panels never know each other."""

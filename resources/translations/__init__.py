"""The texts of the window in other languages, and the program that keeps them complete."""

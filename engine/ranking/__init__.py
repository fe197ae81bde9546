"""Pure ranking over arrays: words, vectors, fusion. No input or output."""

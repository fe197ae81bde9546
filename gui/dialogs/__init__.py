"""Windows above the window: they collect a choice and hand it back; they never reach the library."""

"""Where notes come from, one file per kind. Nothing here embeds or stores, and nothing writes to a source."""

"""Pure functions over text: markup, breadcrumbs, chunking, tokenising, snippets. No input or output."""

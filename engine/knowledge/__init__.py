"""Pure graph logic: entity blocking, merge groups, paths, communities, metrics. No input or output."""

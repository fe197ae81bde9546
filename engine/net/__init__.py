"""The only place that opens a socket."""

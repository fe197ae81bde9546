"""Front ends that hold a Library: command line, MCP server, host and attach. No business rules."""

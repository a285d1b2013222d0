"""Other tools: read, write, verify, C, equations, doctor."""

"""C99 of a robot's queries, with a self-test."""

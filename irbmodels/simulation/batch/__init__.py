"""Roll-outs of many states at once."""

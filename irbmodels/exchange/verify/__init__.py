"""Agreement with independent derivations and other engines."""

"""RAPID programs: their files, instructions and routines, and the sequence of their moves."""

"""Control flow of a RAPID program: instructions, routines, the sequence of its moves."""

"""One time step as a program, for one state or many."""

"""ABB's numbers: strict YAML with sources, overlays, xacro."""

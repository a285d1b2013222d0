"""From a motion log to a trusted model. Each room imports only from those before it.

- ``recordings``: logs, read, checked, aligned, filtered; and synthetic ones
- ``fits``: linear and nonlinear estimates with their covariance, bodies that can exist, loads
- ``excitation``: motions that make parameters identifiable
- ``friction``: friction from constant speeds, as S000 measures it
- ``flexible``: elastic joints
- ``validation``: from logs to a set of parameters, and whether it can be trusted
"""

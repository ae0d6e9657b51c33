"""Whether what a long-running pipeline holds on the heap stays flat: ``python -m heap``."""

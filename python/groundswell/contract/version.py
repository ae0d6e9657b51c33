"""The version of the documents in this package; written by ``tools/contract.py``."""

VERSION = "1-c0a3d7e6506c"

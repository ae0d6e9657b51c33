"""The version of the documents in this package; written by ``tools/contract.py``."""

VERSION = "1-caa06ef6a506"

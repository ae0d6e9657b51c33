"""The version of the documents in this package; written by ``tools/contract.py``."""

VERSION = "1-85df862b39ff"

"""The version of the documents in this package; written by ``tools/contract.py``."""

VERSION = "1-74a59f1e235f"

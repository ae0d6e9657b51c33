"""What a process imports that Spark has started for Python's functions and sources."""

import json
import subprocess
import sys

import groundswell as gs
from groundswell import public

READER = "groundswell.sources.delta_reader"
WORKER = f"""
import importlib.machinery, json, sys
main = sys.modules["__main__"]
main.__spec__ = importlib.machinery.ModuleSpec("pyspark.sql.streaming.python_streaming", None)
import {READER}
few = sorted(name for name in sys.modules if name.startswith("groundswell"))
import groundswell as gs
asked = gs.upserts.__module__, gs.Pipeline is gs.pipeline
print(json.dumps([few, asked, sorted(set(gs.__all__) - set(dir(gs)))]))
try:
    gs.nothing
except AttributeError as error:
    print(error)
"""


def test_a_worker_imports_the_modules_of_its_source_and_others_when_asked() -> None:
    ran = subprocess.run([sys.executable, "-c", WORKER], capture_output=True, text=True, check=True)
    first, error = ran.stdout.splitlines()
    few, asked, missing = json.loads(first)
    assert READER in few
    assert not [name for name in few if name.startswith(("groundswell.sql", "groundswell.ui"))]
    assert "groundswell.runtime.pipeline" not in few
    assert asked == ["groundswell.api.sources", True]
    assert missing == []
    assert error == "module 'groundswell' has no attribute 'nothing'"


def test_other_programs_have_all_names_from_the_start() -> None:
    assert set(public.__all__) <= set(gs.__all__)
    assert set(public.__all__) <= set(vars(gs))

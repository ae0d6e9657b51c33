"""Both sides read and write the same documents."""

import random
import string
from collections.abc import Mapping
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import pytest
from pyspark.sql import SparkSession

from groundswell.contract import schema
from groundswell.contract import version as contract
from groundswell.contract.codec import SparkType, decode, encode, hints
from groundswell.errors import ConfigurationError
from groundswell.jvm import jars
from groundswell.jvm.errors import JavaPackage, jvm_of

TYPES = (
    "long",
    {"type": "array", "elementType": "string", "containsNull": True},
    {
        "type": "struct",
        "fields": [{"name": "a b", "type": "decimal(10,2)", "nullable": False, "metadata": {}}],
    },
)


def some(hint: Any, rng: random.Random) -> Any:
    """A random value of a type."""
    origin, args = get_origin(hint), get_args(hint)
    if hint == SparkType:
        return rng.choice(TYPES)
    if origin is Annotated:
        return rng.choice([0, -1, 2**31 - 1, rng.randrange(100)])
    if origin in (Union, UnionType):
        one = rng.choice(args)
        return None if one is NoneType else some(one, rng)
    if origin is Literal:
        return rng.choice(args)
    if origin is tuple:
        return tuple(some(args[0], rng) for _ in range(rng.randrange(3)))
    if origin is not None and issubclass(origin, Mapping):
        return {some(str, rng): some(args[1], rng) for _ in range(rng.randrange(3))}
    if hint is str:
        letters = string.ascii_letters + '"\\\n\té€😀 '
        return "".join(rng.choice(letters) for _ in range(rng.randrange(6)))
    if hint is bool:
        return rng.random() < 0.5
    if hint is int:
        return rng.choice([0, -1, 2**63 - 1, -(2**63), rng.randrange(10**12)])
    if hint is float:
        return rng.choice([0.5, -1e300, rng.random()])
    if schema.is_base(hint):
        hint = rng.choice(list(hint.KINDS.values()))
    return hint(**{name: some(each, rng) for name, each in hints(hint).items()})


def test_every_document_crosses_and_comes_back(spark: SparkSession) -> None:
    seed = random.randrange(2**32)
    print(f"seed {seed}")
    rng = random.Random(seed)
    documents = JavaPackage(spark, "io.groundswell.spark.contract").Documents
    for document in schema.documents():
        if hasattr(document, "KIND") or schema.is_family(document):
            continue  # its base stands for it
        name = f"{schema.java_package(document)}.{document.__name__}"
        for _ in range(20):
            given = some(document, rng)
            back = documents.again(name, encode(given))
            assert decode(document, back) == given


def test_a_jar_of_another_contract_is_refused(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    theirs = contract.VERSION
    monkeypatch.setattr(contract, "VERSION", "0-0ld")
    monkeypatch.setattr(jars, "_CHECKED", set())
    with pytest.raises(ConfigurationError, match=f"{theirs}.* version 0-0ld") as refused:
        jars.check_jar(jvm_of(spark))
    assert "make jar" in str(refused.value)

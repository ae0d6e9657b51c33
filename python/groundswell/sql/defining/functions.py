"""What ``CREATE FUNCTION`` and ``CREATE AGGREGATE`` make: temporary functions of a session.

A body in Python is run once in each process that needs the function, and defines a function of its
name; that is pickled by value, so workers need nothing. A session finds it under a name made
of what it is: another body is another function, and plans of before keep theirs.
"""

from __future__ import annotations

import ast
import hashlib
import inspect
import textwrap
from collections.abc import Callable
from typing import Any

from pyspark.errors import PySparkException
from pyspark.sql import SparkSession
from pyspark.sql.types import CharType, DataType, StringType, StructType, VarcharType

from groundswell import jvm
from groundswell.catalog.names import check_name
from groundswell.columns import quoted
from groundswell.contract.sql.answers import FunctionAt, Parameter
from groundswell.errors import ConfigurationError
from groundswell.sql.history import log as logs
from groundswell.sql.parsing import statements as s
from groundswell.sql.parsing.functions import calls
from groundswell.suggestions import nearest

_MODULE = "groundswell_function"
"""No module of this name can be imported, so what it has is pickled by value."""


class Functions:
    """The functions of a pipeline as they are now, and which objects call them."""

    def __init__(self, spark: SparkSession, pipeline: str) -> None:
        self._spark = spark
        self._pipeline = pipeline
        self._now: dict[str, logs.Object] = {}
        self._callers: dict[str, frozenset[str]] = {}

    def apart(self) -> Functions:
        """The same, to try a statement with."""
        made = Functions(self._spark, self._pipeline)
        made._now, made._callers = {**self._now}, {**self._callers}
        return made

    def put(self, made: logs.Object) -> None:
        """Takes a function that is new, or in the place of the one of before.

        Raises:
            ConfigurationError: it cannot be one.
        """
        function_at(self._spark, self._pipeline, made)
        self._now[made.stored] = made

    def drop(self, stored: str) -> None:
        """Gives a function up, which nothing calls."""
        del self._now[stored]

    def in_query(self, query: str, contents: logs.Contents) -> dict[str, FunctionAt]:
        """The functions that a query calls, by the name that it calls them by."""
        return {
            name: function_at(self._spark, self._pipeline, each)
            for name, each in self._called(query, contents).items()
        }

    def note(self, caller: str, query: str, contents: logs.Contents) -> None:
        """Keeps in mind what an object calls.

        Args:
            caller: what the pipeline calls it.
            query: of the object.
            contents: what its names mean.
        """
        called = self._called(query, contents).values()
        self._callers[caller] = frozenset(each.stored for each in called)

    def called_by(self, caller: str) -> frozenset[str]:
        """What the pipeline calls the functions that an object calls."""
        return self._callers.get(caller, frozenset())

    def _called(self, query: str, contents: logs.Contents) -> dict[str, logs.Object]:
        called = calls(query)
        return {
            name: self._now[each.stored]
            for name, each in contents.objects.items()
            if each.kind == s.FUNCTION and name in called and each.stored in self._now
        }


def function_at(spark: SparkSession, pipeline: str, made: logs.Object) -> FunctionAt:
    """A function of a pipeline, as a temporary one of the session.

    Raises:
        ConfigurationError: it cannot be one.
    """
    statement = made.made.statement
    assert isinstance(statement, s.CreateFunction)
    return checked(spark, pipeline, statement)


def checked(spark: SparkSession, pipeline: str, function: s.CreateFunction) -> FunctionAt:
    """Makes a function one of the session, if it is none yet.

    Args:
        spark: the session.
        pipeline: whose function it is.
        function: what the statement says.

    Raises:
        ConfigurationError: its name, a type or its body cannot be, with the line of the body.
    """
    name = check_name("function", function.name[-1])
    digest = hashlib.sha256(repr(function).encode()).hexdigest()[:12]
    temporary = f"groundswell_{pipeline}_{name}_{digest}".lower()
    what = f"function {name}"
    types = {p.name: _type(f"{what}, parameter {p.name}", p.type) for p in function.parameters}
    returns = _type(f"{what}, RETURNS", function.returns)
    own = tuple(Parameter(parameter, each.jsonValue()) for parameter, each in types.items())
    parameters = None if function.style == s.SQL else own
    if not jvm.has_temporary(spark, temporary):
        if jvm.is_builtin(spark, name):
            raise ConfigurationError(
                f"Spark has a function {name} of its own: give this one another name"
            )
        try:
            if function.style == s.SQL:
                signature = ", ".join(f"{quoted(n)} {t.simpleString()}" for n, t in types.items())
                given = f"({signature}) RETURNS {returns.simpleString()}"
                jvm.register_sql(spark, temporary, given, function.body)
            else:
                python, style = python_function(function), function.style
                given_as = spark, temporary, name, python, returns, style, function.aggregate
                jvm.register_python(*given_as)
        except (PySparkException, TypeError) as e:
            raise ConfigurationError(f"{what}: {jvm.summary(e)}") from e
    return FunctionAt(name, temporary, parameters)


def python_function(function: s.CreateFunction) -> Callable[..., Any]:
    """What the body of a function defines under its name. Runs the body.

    Raises:
        ConfigurationError: it does not compile, fails, or defines no such function, with the line.
    """
    name = function.name[-1]
    file = f"<function {name}>"
    if not function.parameters and (function.aggregate or function.style != s.ROWS):
        raise ConfigurationError(
            f"function {name} has no parameter: aggregates and functions of columns need one"
        )
    found: dict[str, Any] = {"__name__": _MODULE}
    try:
        exec(compile(_module(function), file, "exec"), found)  # noqa: S102
    except SyntaxError as e:
        shown = f": {e.text.strip()}" if e.text and e.text.strip() else ""
        raise ConfigurationError(
            f"function {name}: line {e.lineno} of its body does not compile: {e.msg}{shown}"
        ) from None
    except Exception as e:
        raise ConfigurationError(
            f"function {name}: line {_line(e, file)} of its body raises {type(e).__name__}: {e}"
        ) from e
    made: Callable[..., Any] | None = found.get(name)
    if made is None or not callable(made):
        there = [k for k, v in found.items() if callable(v) and not k.startswith("__")]
        hint = f" Did you mean {near!r}?" if (near := nearest(name, there)) else ""
        raise ConfigurationError(
            f"function {name}: its body must define a function {name}; it defines "
            f"{', '.join(there) or 'none'}.{hint}"
        )
    _check_takes(function, made)
    return made


def _module(function: s.CreateFunction) -> ast.Module:
    """The body of a function as a module that defines it.

    A body that returns at its outermost level is the inside of the function, as Databricks has it.

    Raises:
        SyntaxError: it does not compile.
    """
    tree = ast.parse(textwrap.dedent(function.body))
    if not any(map(_returns, tree.body)):
        return tree
    parameters = ", ".join(p.name for p in function.parameters)
    outer = ast.parse(f"def {function.name[-1]}({parameters}): pass")
    (made,) = outer.body
    assert isinstance(made, ast.FunctionDef)
    made.body = tree.body
    return outer


def _returns(statement: ast.AST) -> bool:
    """Whether a statement returns from the function that it is in."""
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda):
        return False
    return isinstance(statement, ast.Return) or any(map(_returns, ast.iter_child_nodes(statement)))


def _check_takes(function: s.CreateFunction, made: Callable[..., Any]) -> None:
    """Refuses a function that cannot be called with its parameters, or gives no value then."""
    if inspect.isgeneratorfunction(made) or inspect.iscoroutinefunction(made):
        how = "yields its values" if inspect.isgeneratorfunction(made) else "is asynchronous"
        raise ConfigurationError(
            f"function {function.name[-1]}: the Python function of that name {how}, and is to "
            f"return one value for {'a group' if function.aggregate else 'each row'}: write "
            "return, in a plain def"
        )
    try:
        inspect.signature(made).bind(*function.parameters)
    except TypeError as e:
        line = getattr(getattr(made, "__code__", None), "co_firstlineno", 1)
        names = ", ".join(p.name for p in function.parameters)
        raise ConfigurationError(
            f"function {function.name[-1]}: it is declared with {len(function.parameters)} "
            f"parameters ({names}), which the Python function in line {line} of its body does not "
            f"take: {e}"
        ) from None
    except ValueError:  # of a builtin, whose parameters nobody knows
        return


def _line(error: BaseException, file: str) -> int:
    line, at = 1, error.__traceback__
    while at is not None:
        if at.tb_frame.f_code.co_filename == file:
            line = at.tb_lineno
        at = at.tb_next
    return line


def _type(what: str, given: str) -> DataType:
    try:
        columns = StructType.fromDDL(f"`a` {given}")
        assert isinstance(columns, StructType)
        found = columns.fields[0].dataType
    except Exception as e:
        told = jvm.first_line(e)
        raise ConfigurationError(f"{what}: {given!r} is not a type of Spark: {told}") from e
    return StringType() if isinstance(found, CharType | VarcharType) else found

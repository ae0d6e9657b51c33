"""Options of pipelines: what is said of a name or a value that there is not."""

import inspect
import re
from pathlib import Path

import pytest

from groundswell.config import OPTIONS, check
from groundswell.errors import ConfigurationError
from groundswell.runtime.pipeline import Pipeline
from groundswell.sinks.registry import COMMON
from groundswell.sql.defining.pipeline_options import check_options_of_pipeline

DOCS = Path(__file__).parents[2] / "docs"


@pytest.mark.parametrize(("given", "meant"), [("joinz", "joins"), ("retainEpoch", "retainEpochs")])
def test_an_option_that_there_is_not_names_the_nearest(given: str, meant: str) -> None:
    with pytest.raises(ConfigurationError) as refused:
        check({given: "auto"})
    assert f"unknown pipeline option {given!r}; did you mean {meant!r}?" in str(refused.value)


def test_an_option_like_no_other_gets_the_list_alone() -> None:
    with pytest.raises(ConfigurationError) as refused:
        check({"zzz": 1})
    assert "did you mean" not in str(refused.value)
    assert all(name in str(refused.value) for name in OPTIONS)


def test_the_page_of_errors_names_options_that_exist() -> None:
    code = re.findall(r"`([^`\n]+)`", (DOCS / "errors.md").read_text())
    named = {found[1] for c in code if (found := re.fullmatch(r"([a-z]\w*[a-z])(=.*)?", c))}
    of_views = inspect.signature(Pipeline.view).parameters
    known = {*OPTIONS, *of_views, *(option.name for option in COMMON), "code"}
    assert {"retainEpochs", "maxStateBytes", "errors", "retry_seconds"} <= named <= known


def test_an_option_that_is_gone_says_what_to_write() -> None:
    assert "sharing" not in check({"sharing": "written"})
    with pytest.raises(ConfigurationError, match=r"haring='canonical'.*make the join a view"):
        check({"Sharing": "canonical"})
    with pytest.raises(ConfigurationError, match="this option is gone"):
        check_options_of_pipeline({"sharing": "canonical"})

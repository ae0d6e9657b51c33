"""What a person may have meant."""

from groundswell.suggestions import meant, nearest


def test_the_name_that_is_most_alike_is_named() -> None:
    assert meant("Paht", ["file", "path", "paths"]) == "; did you mean 'path'? "
    assert nearest("KAFKA", ["Kafka"]) == "Kafka"


def test_of_names_that_are_not_alike_nothing_is_said() -> None:
    assert meant("zz", ["path"]) == ". "
    assert nearest("path", []) is None

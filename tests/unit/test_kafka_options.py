"""Options of Kafka's client, by the names of librdkafka."""

import pytest

import groundswell as gs
from groundswell.sources.kafka import CLIENT, client_options, reader_options


def test_user_and_password_become_jaas() -> None:
    given = {"kafka.sasl.username": "u", "kafka.sasl.password": 'p"w\\', "subscribe": "t"}
    assert client_options(given) == {
        "subscribe": "t",
        "kafka.sasl.mechanism": "PLAIN",
        "kafka.sasl.jaas.config": "org.apache.kafka.common.security.plain.PlainLoginModule "
        'required username="u" password="p\\"w\\\\";',
    }
    scram = client_options({**given, "kafka.sasl.mechanism": "SCRAM-SHA-512"})
    assert ".scram.ScramLoginModule required" in scram["kafka.sasl.jaas.config"]


def test_a_file_of_authorities_is_a_trust_store() -> None:
    assert client_options({"kafka.ssl.ca.location": "/ca.pem"}) == {
        "kafka.ssl.truststore.type": "PEM",
        "kafka.ssl.truststore.location": "/ca.pem",
    }


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"kafka.sasl.username": "u"}, "give both"),
        (
            {
                "kafka.sasl.username": "u",
                "kafka.sasl.password": "p",
                "kafka.sasl.mechanism": "GSSAPI",
            },
            "does not go with sasl.mechanism GSSAPI",
        ),
    ],
)
def test_half_of_it_is_refused(given: dict[str, str], said: str) -> None:
    with pytest.raises(gs.ConfigurationError, match=said):
        client_options(given)


def test_a_poll_gives_all_of_a_fetch_unless_the_user_says_otherwise() -> None:
    assert reader_options({"subscribe": "t"}) == {**CLIENT, "subscribe": "t"}
    mine = {"kafka.Max.Poll.Records": 7, "kafka.isolation.level": "read_uncommitted"}
    assert reader_options(mine) == {
        "kafka.fetch.max.wait.ms": "10",
        "kafka.receive.buffer.bytes": "-1",
        "kafka.Max.Poll.Records": "7",
        "kafka.isolation.level": "read_uncommitted",
    }

"""The example of docs/how-to/write-a-protocol.md is a protocol, and the page names every scale."""

import re

from protocols import Listening
from protocols.documents.examples import example_faults
from protocols.documents.yaml_files import from_yaml, to_yaml
from protocols.scales.named import BY_NAME
from tests.paths import PROJECT

PAGE = (PROJECT / "docs" / "how-to" / "write-a-protocol.md").read_text(encoding="utf-8")


def test_example_of_the_page_is_a_protocol_that_goes_to_yaml_and_back() -> None:
    protocol = from_yaml(re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)[0])

    assert from_yaml(to_yaml(protocol)) == protocol
    assert list(example_faults(protocol)) == []
    assert (protocol.name, protocol.unit, protocol.listening) == ("call_quality", "single", Listening("seconds", 5.0))
    assert [aspect.name for aspect in protocol.aspects] == ["heard", "patience", "solved", "reason"]
    assert [option.value for option in protocol.aspect("solved").scale.options] == ["yes", "partly", "no"]
    assert protocol.aspect("patience").scale.options[1].help == "Neither hurried, nor warm."


def test_page_names_every_scale_of_ours() -> None:
    listed = PAGE[PAGE.index("Our scales are") :].split(".")[0]

    assert re.findall(r"`(\w+)`", listed) == list(BY_NAME)

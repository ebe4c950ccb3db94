import pytest

from campaigns.entry_gates.guidelines import Block, blocks, new_guidelines
from campaigns.models import Campaign
from tests.cases import each
from tests.factories import make_campaign


@pytest.fixture
def campaign(db: None) -> Campaign:
    return make_campaign()


def test_text_becomes_headings_lists_and_paragraphs() -> None:
    text = "# One\n## Two\nfirst\nsecond\n\nthird\n* a\n- b\n#no heading"

    assert list(blocks(text)) == [
        Block("h2", ("One",)),
        Block("h3", ("Two",)),
        Block("p", ("first", "second")),
        Block("p", ("third",)),
        Block("ul", ("a", "b")),
        Block("p", ("#no heading",)),
    ]


def test_change_is_a_new_version_and_the_same_text_is_none(campaign: Campaign) -> None:
    texts = ["one", "one\r\n", "two"]

    versions = [new_guidelines(campaign, text=text, user=campaign.created_by).version for text in texts]

    assert versions == [1, 1, 2]


@each("text", ["", "  \n", "a\x00b", "x" * 40_001], undo=True)
def test_text_that_says_nothing_or_too_much_is_refused(campaign: Campaign, text: str) -> None:
    with pytest.raises(ValueError, match="40,000"):
        new_guidelines(campaign, text=text, user=campaign.created_by)
    assert not campaign.guidelines_texts.exists()

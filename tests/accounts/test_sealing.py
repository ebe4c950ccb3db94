import pytest
from pytest_django import Settings

from accounts.sealing import KeyLost, sealed, unsealed


def test_key_comes_out_as_it_went_in_and_is_not_to_be_seen_between() -> None:
    kept = sealed("sk-very-secret")

    assert unsealed(kept) == "sk-very-secret"
    assert "sk-very-secret" not in kept
    assert kept != sealed("sk-very-secret")  # the same key looks different each time


def test_no_key_is_no_key() -> None:
    assert (sealed(""), unsealed("")) == ("", "")


def test_key_outlives_a_new_secret_while_the_old_one_is_named(settings: Settings) -> None:
    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = "old", []
    kept = sealed("sk-1")

    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = "new", ["old"]
    assert unsealed(kept) == "sk-1"

    settings.SECRET_KEY_FALLBACKS = []
    with pytest.raises(KeyLost, match="enter it again"):
        unsealed(kept)

"""What calls cost: a table of prices that people keep up to date, and the arithmetic."""

from collections.abc import Mapping
from decimal import Decimal

from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.db.models import OuterRef, QuerySet, Subquery
from django.utils.translation import gettext as _

from accounts.models import User
from judges.models import PRICES_OF_KINDS, LanguageModel, Price

MILLION = Decimal(1_000_000)
PRICES = ("usd_in", "usd_out", *PRICES_OF_KINDS)
CENT_OF_A_CENT = Decimal("0.000001")
#: More than this no column of dollars holds, and none can be read that holds more: every amount and sum ends here.
MOST_USD = Decimal("999999.999999")


def price_of(model: LanguageModel) -> Price | None:
    """The current price; None where there is none. A model that costs nothing has the price 0."""
    return Price.objects.filter(language_model=model).order_by("-pk").first()


def with_prices(models: QuerySet[LanguageModel]) -> QuerySet[LanguageModel]:
    """The same models, each with its current price as `usd_in` and `usd_out`; None where there is none."""
    held = Price.objects.filter(language_model=OuterRef("pk")).order_by("-pk")
    return models.annotate(usd_in=Subquery(held.values("usd_in")[:1]), usd_out=Subquery(held.values("usd_out")[:1]))


def cost(
    price: Price | None,
    *,
    tokens_in: int | None,
    tokens_out: int | None,
    audio_in: int | None = None,
    cached_in: int | None = None,
    reasoning_out: int | None = None,
    audio_out: int | None = None,
) -> Decimal | None:
    """US dollars, to a millionth and at most MOST_USD; None without a price or where the server did not count.

    The last four are part of the first two. What was read from a cache is taken to be text first, and what was not
    counted apart costs what the text around it costs.
    """
    if price is None or tokens_in is None or tokens_out is None:
        return None
    sound = min(audio_in or 0, tokens_in)
    cached = min(cached_in or 0, tokens_in)
    cached_sound = max(0, cached - (tokens_in - sound))
    text = tokens_in - sound - (cached - cached_sound)
    spoken = min(audio_out or 0, tokens_out)
    thought = min(reasoning_out or 0, tokens_out - spoken)
    usd = (
        price.usd_in * text
        + _or(price.usd_audio_in, price.usd_in) * (sound - cached_sound)
        + _or(price.usd_cached_in, price.usd_in) * cached
        + _or(price.usd_audio_out, price.usd_out) * spoken
        + _or(price.usd_reasoning_out, price.usd_out) * thought
        + price.usd_out * (tokens_out - spoken - thought)
    )
    return min((usd / MILLION).quantize(CENT_OF_A_CENT), MOST_USD)


def _or(price: Decimal | None, otherwise: Decimal) -> Decimal:
    return otherwise if price is None else price


@transaction.atomic
def set_terms(
    model: LanguageModel,
    *,
    at_once: int,
    requests_per_minute: int | None,
    tokens_per_minute: int | None,
    user: User,
    **prices: Decimal | None,
) -> None:
    """Set how a model may be called from now on, and its price. Raises PermissionDenied for another user's."""
    require_owner(model, user)
    LanguageModel.objects.filter(pk=model.pk).update(
        at_once=at_once, requests_per_minute=requests_per_minute, tokens_per_minute=tokens_per_minute
    )
    set_price(model, prices, user=user)


def set_price(model: LanguageModel, prices: Mapping[str, Decimal | None], *, user: User) -> None:
    """A price from now on, by the names of its columns; without one for question and reply nothing changes."""
    if prices.get("usd_in") is None or prices.get("usd_out") is None:
        return
    wanted = {name: prices.get(name) for name in PRICES}
    held = price_of(model)
    if held is None or {name: getattr(held, name) for name in PRICES} != wanted:
        Price.objects.create(language_model=model, set_by=user, **wanted)


def require_owner(model: LanguageModel, user: User) -> None:
    """Raises PermissionDenied."""
    if model.created_by_id != user.pk and not user.is_superuser:
        raise PermissionDenied(_("Only who added a model, or an administrator, can change its terms."))

"""What calls cost: a table of prices that people keep up to date, and the arithmetic."""

from decimal import Decimal

from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.db.models import OuterRef, QuerySet, Subquery
from django.utils.translation import gettext as _

from accounts.models import User
from judges.models import LanguageModel, Price

MILLION = Decimal(1_000_000)
CENT_OF_A_CENT = Decimal("0.000001")


def price_of(model: LanguageModel) -> Price | None:
    """The price that holds now; None where nobody has named one. A model that costs nothing has the price 0."""
    return Price.objects.filter(language_model=model).order_by("-pk").first()


def with_prices(models: QuerySet[LanguageModel]) -> QuerySet[LanguageModel]:
    """The same models, each with its price of now as `usd_in` and `usd_out`; None where nobody has named one."""
    held = Price.objects.filter(language_model=OuterRef("pk")).order_by("-pk")
    return models.annotate(usd_in=Subquery(held.values("usd_in")[:1]), usd_out=Subquery(held.values("usd_out")[:1]))


def cost(price: Price | None, *, tokens_in: int | None, tokens_out: int | None) -> Decimal | None:
    """US dollars, to a millionth; None without a price or where the server did not count."""
    if price is None or tokens_in is None or tokens_out is None:
        return None
    return ((price.usd_in * tokens_in + price.usd_out * tokens_out) / MILLION).quantize(CENT_OF_A_CENT)


@transaction.atomic
def set_terms(
    model: LanguageModel,
    *,
    at_once: int,
    requests_per_minute: int | None,
    tokens_per_minute: int | None,
    usd_in: Decimal | None,
    usd_out: Decimal | None,
    user: User,
) -> None:
    """How a model may be asked from now on, and what it costs. Raises PermissionDenied for somebody else's."""
    if model.created_by_id != user.pk and not user.is_superuser:
        raise PermissionDenied(_("Only who added a model, or an administrator, can change its terms."))
    LanguageModel.objects.filter(pk=model.pk).update(
        at_once=at_once, requests_per_minute=requests_per_minute, tokens_per_minute=tokens_per_minute
    )
    if usd_in is None or usd_out is None:
        return
    held = price_of(model)
    if held is None or (held.usd_in, held.usd_out) != (usd_in, usd_out):
        Price.objects.create(language_model=model, usd_in=usd_in, usd_out=usd_out, set_by=user)

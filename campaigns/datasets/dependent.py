"""What campaigns say of the datasets they are built on."""

from django.db.models import Q, QuerySet

from accounts.models import User
from campaigns.access import Right, campaigns_with
from campaigns.models import Campaign
from corpus.dependents import Dependent
from corpus.models import Dataset, Item


class Campaigns(Dependent):
    def viewed_by(self, user: User) -> Q:
        return Q(campaigns__in=campaigns_with(user, Right.VIEW))

    def managed_by(self, user: User) -> Q:
        return Q(campaigns__in=campaigns_with(user, Right.MANAGE))

    def fixed_items(self, dataset: Dataset) -> QuerySet[Item]:
        """What annotators hear of an item stays what it was once a campaign with it has opened."""
        opened = Campaign.objects.filter(dataset=dataset).exclude(status=Campaign.Status.DRAFT)
        return Item.objects.filter(units__in=opened.values("campaign_units__unit"))

"""Ways back to an account: a link by e-mail, or from an administrator."""

import re
from typing import Any

import pytest
from django.core import mail
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from kombu.exceptions import OperationalError
from pytest_django import Settings

from accounts.login.attempts import MOST_AT_ACCOUNT, MOST_MAILS_ANYWHERE
from accounts.login.guests import make_guest
from accounts.models import User
from accounts.tasks import send_password_links_task
from campaigns.models import Role
from tests.factories import UserFactory, make_campaign, make_member

pytestmark = pytest.mark.django_db
NEW = {"new_password1": "quiet otters applaud", "new_password2": "quiet otters applaud"}


@pytest.fixture(autouse=True)
def can_send(settings: Settings) -> None:
    settings.SENDS_EMAIL = True


class Worker:
    """Takes the tasks that the page sends, and does them when a test says so."""

    def __init__(self) -> None:
        self.messages: list[list[Any]] = []

    def send_task(self, name: str, args: list[Any], **_options: object) -> None:
        assert name == send_password_links_task.name
        self.messages.append(args)

    def work(self) -> None:
        for args in self.messages:
            send_password_links_task(*args)
        self.messages = []


@pytest.fixture(autouse=True)
def worker(monkeypatch: pytest.MonkeyPatch) -> Worker:
    found = Worker()
    monkeypatch.setattr("accounts.login.password_links.current_app.send_task", found.send_task)
    return found


def link_in(text: str) -> str:
    found = re.search(r"http://testserver(/accounts/[^\s<]+)", text)
    assert found
    return found[1]


def follow(client: Client, link: str) -> str:
    """The form to which a link leads, or the link itself where it leads nowhere."""
    response = client.get(link)
    return str(response["Location"]) if response.status_code == 302 else link


def test_link_by_email_changes_the_password_once(client: Client, worker: Worker) -> None:
    user = UserFactory(email="lena@lab.example")

    response = client.post(reverse("forgotten"), {"email": "Lena@lab.example"})
    worker.work()

    assert response["Location"] == reverse("forgotten-sent")
    assert [message.to for message in mail.outbox] == [["lena@lab.example"]]
    link = link_in(str(mail.outbox[0].body))
    assert client.post(follow(client, link), NEW)["Location"] == reverse("login")
    assert User.objects.get(pk=user.pk).check_password(NEW["new_password1"])
    assert "does not work any more" in Client().get(link).content.decode()


def test_nobody_learns_whether_there_is_an_account(client: Client, worker: Worker) -> None:
    UserFactory(email="lena@lab.example")

    pages = [
        re.sub(
            r'value="\w{64}"', "", client.post(reverse("forgotten"), {"email": email}, follow=True).content.decode()
        )
        for email in ("lena@lab.example", "nobody@lab.example")
    ]

    worker.work()
    assert pages[0] == pages[1]
    assert len(mail.outbox) == 1


def test_request_does_the_same_for_a_known_and_an_unknown_address(client: Client, worker: Worker) -> None:
    UserFactory(email="lena@lab.example")
    client.get(reverse("forgotten"))

    asked = []
    for email in ("lena@lab.example", "nobody@lab.example"):
        with CaptureQueriesContext(connection) as queries:
            client.post(reverse("forgotten"), {"email": email})
        asked.append([re.sub(r"'[^']*'|\d+", "?", query["sql"]) for query in queries])

    assert asked[0] == asked[1]
    assert not [sql for sql in asked[0] if "accounts_user" in sql]
    assert (len(worker.messages), mail.outbox) == (2, [])


def test_message_to_the_worker_does_not_show_the_address(client: Client, worker: Worker) -> None:
    client.post(reverse("forgotten"), {"email": "lena@lab.example"})

    assert "lena" not in str(worker.messages)


def test_mail_is_in_the_language_of_the_page(client: Client, worker: Worker) -> None:
    UserFactory(email="lena@lab.example")

    client.post(reverse("forgotten"), {"email": "lena@lab.example"}, headers={"Accept-Language": "de"})
    worker.work()

    assert "Passwort" in str(mail.outbox[0].subject)


def test_without_a_broker_the_page_says_that_nothing_was_sent(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unreachable(*_args: object, **_options: object) -> None:
        raise OperationalError

    monkeypatch.setattr("accounts.login.password_links.current_app.send_task", unreachable)

    response = client.post(reverse("forgotten"), {"email": "lena@lab.example"})

    assert "No e-mail can be sent at the moment." in response.content.decode()


def test_mailbox_is_not_flooded(client: Client, worker: Worker) -> None:
    UserFactory(email="lena@lab.example")

    for _ in range(MOST_AT_ACCOUNT + 3):
        response = client.post(reverse("forgotten"), {"email": "lena@lab.example"})

    worker.work()
    assert len(mail.outbox) == MOST_AT_ACCOUNT
    assert "Too many" in response.content.decode()


def test_mailbox_is_not_flooded_from_many_addresses(worker: Worker) -> None:
    for n in range(MOST_MAILS_ANYWHERE + 3):
        Client(REMOTE_ADDR=f"192.0.2.{n}").post(reverse("forgotten"), {"email": "lena@lab.example"})

    assert len(worker.messages) == MOST_MAILS_ANYWHERE


def test_weak_new_password_is_refused(client: Client, worker: Worker) -> None:
    UserFactory(email="lena@lab.example")
    client.post(reverse("forgotten"), {"email": "lena@lab.example"})
    worker.work()
    form = follow(client, link_in(str(mail.outbox[0].body)))

    response = client.post(form, {"new_password1": "short", "new_password2": "short"})

    assert list(response.context["form"].errors) == ["new_password2"]


def test_without_email_the_page_is_not_there_and_the_log_in_says_whom_to_ask(
    client: Client, settings: Settings
) -> None:
    settings.SENDS_EMAIL = False
    UserFactory()

    assert client.get(reverse("forgotten")).status_code == 404
    assert "administrator" in client.get(reverse("login")).content.decode()


def test_administrators_link_works_once(client: Client) -> None:
    campaign = make_campaign()
    user = make_member(campaign)
    membership = campaign.memberships.get(user=user)
    client.force_login(UserFactory(is_superuser=True))

    page = client.post(reverse("member-password", args=[campaign.slug, membership.pk]), follow=True).content.decode()

    link = link_in(page)
    other = Client()
    other.post(follow(other, link), NEW)
    assert User.objects.get(pk=user.pk).check_password(NEW["new_password1"])
    assert "does not work any more" in Client().get(link).content.decode()


def test_admin_of_a_campaign_gets_no_link_to_anybodys_account(client: Client) -> None:
    campaign = make_campaign()
    target = campaign.memberships.get(user=make_member(campaign, is_superuser=True))
    client.force_login(make_member(campaign, Role.ADMIN))

    assert client.post(reverse("member-password", args=[campaign.slug, target.pk])).status_code == 403
    assert "New password" not in client.get(reverse("members", args=[campaign.slug])).content.decode()


def test_guests_have_no_password_to_be_changed(client: Client) -> None:
    campaign = make_campaign()
    target = campaign.memberships.get(user=make_member(campaign, is_guest=True))
    client.force_login(UserFactory(is_superuser=True))

    assert client.post(reverse("member-password", args=[campaign.slug, target.pk])).status_code == 403


def test_address_counts_once_its_link_was_followed(client: Client) -> None:
    user = UserFactory(email="old@lab.example")
    client.force_login(user)

    client.post(reverse("email"), {"email": "new@lab.example", "password": "secret"})
    user.refresh_from_db()
    assert (user.email, mail.outbox[0].to) == ("old@lab.example", ["new@lab.example"])
    link = link_in(str(mail.outbox[0].body))
    client.get(link)
    user.refresh_from_db()
    assert user.email == "new@lab.example"

    User.objects.filter(pk=user.pk).update(email="later@lab.example")
    client.get(link)  # it works once
    user.refresh_from_db()
    assert user.email == "later@lab.example"


def test_address_is_not_changed_without_the_password_or_by_somebody_elses_link(client: Client) -> None:
    user, other = UserFactory(), UserFactory()
    client.force_login(user)
    assert client.post(reverse("email"), {"email": "new@lab.example", "password": "wrong"}).status_code == 422
    assert mail.outbox == []
    client.post(reverse("email"), {"email": "new@lab.example", "password": "secret"})

    client.force_login(other)
    client.get(link_in(str(mail.outbox[0].body)))

    assert set(User.objects.values_list("email", flat=True)) == {""}


def test_guest_has_no_account_page(client: Client) -> None:
    client.force_login(make_guest())

    assert client.get(reverse("account")).status_code == 403

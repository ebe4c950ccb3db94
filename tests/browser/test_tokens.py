"""A token is made, copied, used and revoked; the page looks finished wide and narrow."""

import httpx
import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Shoot, log_in
from tests.browser.server import Server

pytestmark = pytest.mark.browser


def test_token_is_made_shown_once_used_and_revoked(page: Page, server: Server, shoot: Shoot) -> None:
    log_in(page, "researcher")
    page.get_by_role("link", name="researcher").click()
    page.get_by_role("link", name="Access tokens for programs").click()
    page.get_by_label("Name").fill("My notebook")
    page.get_by_label("run judges, which may cost money").check()
    page.get_by_role("button", name="Create", exact=True).click()
    text = page.get_by_role("textbox", name="Your new token").input_value()
    shoot("tokens")

    me = httpx.get(f"{server.url}/api/v1/me/", headers={"Authorization": f"Bearer {text}"})
    page.goto("/accounts/tokens/")

    assert me.json()["scopes"] == ["read", "judge"]
    assert text not in page.content()
    expect(page.get_by_role("row", name="My notebook")).to_contain_text("read what I may look at; run judges")
    page.get_by_text("Revoke: My notebook").click()
    page.get_by_role("button", name="Yes, revoke it").click()
    expect(page.get_by_role("row", name="My notebook")).to_contain_text("revoked")
    again = httpx.get(f"{server.url}/api/v1/me/", headers={"Authorization": f"Bearer {text}"})
    assert again.status_code == 401

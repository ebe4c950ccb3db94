"""What cannot be undone asks once more and says what happens: without JavaScript, in every template."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.test import Client

from campaigns.models import Campaign
from tests.cases import each
from tests.factories import make_campaign, make_member
from tests.paths import PROJECT

#: The addresses at which something is ended, removed or given away for good, as templates name them.
FOR_GOOD = [
    "'campaign-turn' campaign.slug 'close'",
    "'member-end' ",
    "'invitation-revoke' ",
    "'token-revoke' ",
    "'import-recipe-delete' ",
    "'webhook-disable' ",
    "'model-disable' ",
    "'verdict-import-cancel' ",
    "'sign-on-unlink' ",
    "'run-turn' campaign.slug run.pk 'cancel'",
    "'export-delete' ",
    "'unshare-report' ",
    "'arena-let-in' ",
    "'board-lock' ",
    "'person-right' person.pk 'administrator'",
    "'import-cancel' ",
    "'job-cancel' ",
    "'storage-clear' ",
    "'backup-remove' ",
    "'demo' as ",
    "'person-disable' ",
    "'person-log-out' ",
    "'person-token-revoke' ",
]
#: What is posted without a question, by why: a URL's name with its words, or the template whose page takes the form.
CAN_BE_UNDONE = {
    "only adds, or asks for work that can be done again": """
        analytics/home/_campaign_home.html analytics/exports/exports.html corpus/imports/import_new.html
        corpus/imports/import_recipes.html
        campaigns/webhooks/webhooks.html judges/definitions/judge_new.html
        judges/language_models/models.html judges/runs/run_new.html judges/runs/run_probe.html
        judges/imported/verdicts_import.html
        protocols/builder.html protocols/upload.html campaign-audio campaign-clone campaign-trace
        administration-backups administration-storage backup-test baselines baselines-cancel
        comparison-qualify consent-text corpus/imports/_import_mapped.html corpus/imports/import_columns.html
        dataset-features dataset-identity-scan dataset-likelihoods-import dataset-metrics-compute
        dataset-metrics-import dataset-numbers-import
        delivery-again guidelines-text import-choices invitation-new job-again keep-report
        members model-test people people-invite protocol-preview review-comment rubric-drafts
        run-turn:again
        run-turn:top-up share-report tokens traps trap-recordings webhook-test
    """,
    "is set again as it was": """
        accounts/own_account/email.html accounts/own_account/password.html accounts/login/second_factor.html
        analytics/planning/planning.html
        analytics/quality/quality_rules.html analytics/retention/retention.html
        arena/staff/campaign_arena.html campaigns/control_units/checks.html
        campaigns/entry_gates/gates.html campaigns/launch/answers.html campaigns/launch/protocol.html
        campaigns/launch/systems.html campaigns/rubrics/rubric_item.html corpus/datasets/dataset_about.html
        judges/definitions/model_terms.html campaign-turn:open
        campaign-turn:pause member-password person person-enable person-password person-right:researcher
        quality-decide quality-favour quality-favour-decide
        review-accept review-adjudicate review-mark review-settle review-undo review-use
        review-use-many review-undo-many review-stop-many
        rubric-upload run-turn:pause run-turn:resume set_language rubric-drafts-stop import-recipe-rename
        infrastructure/manage.html archive restore
    """,
    "lets somebody in or out": """
        accounts/own_account/forgotten.html accounts/own_account/keep.html accounts/login/login_code.html
        accounts/own_account/new_password.html
        accounts/sign_on/sign_on_link.html login logout setup
    """,
    "is what an annotator does; the last answer can be changed": """
        annotation/entry_gates/begin.html annotation/entry_gates/ended.html annotation/entry_gates/guidelines.html
        annotation/entry_gates/feedback.html annotation/entry_gates/trial.html annotation/listening/volume.html
        annotation/_unit_form.html
        campaigns/people/consent.html campaigns/people/join.html arena-start give-back leave-as-it-was take-back
    """,
}
#: Pages, or places of one, that say what happens before their only button.
ASK_THEMSELVES = {
    "accounts/login/second_factor_off.html",
    "annotation/withdrawal/withdraw.html",
    "accounts/own_account/account_delete.html",
    "accounts/people/person_delete.html",
    "infrastructure/delete.html",
    "accounts/people/person_second_factor.html",
    "campaigns/launch/later_units.html",
    "campaigns/people/member_second_factor.html",
    "import-confirm",
    "launch-units",
    "review-names",
}
TEMPLATES = {path: path.read_text(encoding="utf-8") for path in (PROJECT / "templates").rglob("*.html")}
ASKED = re.compile(r'as (\w+) %\}.{0,900}?\{% include "_confirm.html" with action=\1 ', re.DOTALL)
#: Tags of forms, in templates whose own tags have no `>`; and attributes that say where something is posted.
FORM = re.compile(r"<form\b[^>]*>")
POSTED_TO = re.compile(r'\b(?:action|hx-post|formaction)="([^"]*)"')
TEMPLATE_TAG = re.compile(r"\{[{%].*?[%}]\}", re.DOTALL)
URL = re.compile(r"\{% url '([\w-]+)'((?: [^%]*)?)%\}")
IN_DETAILS = re.compile(r'<details class="confirm"><summary>[^<]+</summary><form method="post" action="\{% url $')


@each("address", FOR_GOOD)
def test_template_asks_before_it_posts_there(address: str) -> None:
    found = [(text, place.start()) for text in TEMPLATES.values() for place in re.finditer(re.escape(address), text)]

    assert found
    for text, at in found:
        asked = ASKED.search(text, at)
        assert IN_DETAILS.search(text[:at]) or (asked and asked.start() < at + len(address) + 60)


def addresses_posted_to(path: Path, text: str) -> Iterator[str]:
    """Where this template posts; a form without an address, or with one that Python makes, by the template's name."""
    own = path.relative_to(PROJECT / "templates").as_posix()
    plain = TEMPLATE_TAG.sub(lambda tag: tag[0].replace(">", " ").replace('"', " "), text)
    forms = [tag for tag in FORM.findall(plain) if 'method="post"' in tag]
    buttons = re.findall(r'\b(?:hx-post|formaction)="[^"]*"', plain)
    for posting in [*forms, *buttons]:
        place = POSTED_TO.search(posting)
        url = URL.match(place[1]) if place else None
        yield ":".join([url[1], *re.findall(r"'([\w-]+)'", url[2])]) if url else own


def test_every_form_asks_or_is_known_to_be_one_that_can_be_undone() -> None:
    """A new one fails here until it is in `FOR_GOOD`, or among those that need no question."""
    posted = {it for path, text in TEMPLATES.items() for it in addresses_posted_to(path, text)} - {"_confirm.html"}
    asking = {":".join(re.findall(r"'([\w-]+)'", it)) for it in FOR_GOOD}
    known = {it for names in CAN_BE_UNDONE.values() for it in names.split()}

    assert posted - asking - known - ASK_THEMSELVES == set()
    assert known | ASK_THEMSELVES <= posted, "a form that is not there any more"
    assert known & (asking | ASK_THEMSELVES) == set()


def test_every_question_is_held_by_the_list() -> None:
    asked = {
        ":".join([name, *re.findall(r"'([\w-]+)'", arguments)])
        for text in TEMPLATES.values()
        for name, arguments, variable in re.findall(r"\{% url '([\w-]+)'([^%]*?) as (\w+) %\}", text)
        if f'"_confirm.html" with action={variable} ' in text
    }
    kept = {":".join(re.findall(r"'([\w-]+)'", it)) for it in FOR_GOOD}

    # To forget recordings, and to take a right: the same addresses take new ones, and give it.
    assert asked <= kept | {"trap-recordings", "person-right:researcher"}


@pytest.mark.django_db
def test_closing_a_campaign_says_what_it_means_before_the_button(client: Client) -> None:
    campaign = make_campaign()
    Campaign.objects.filter(pk=campaign.pk).update(status="open")
    client.force_login(make_member(campaign, "admin"))

    page = client.get(campaign.get_absolute_url()).content.decode()

    [(inside)] = re.findall(r'<details class="confirm"[^>]*>(.*?)</details>', page, re.DOTALL)
    assert "the campaign can never be opened again" in inside
    assert inside.index("never be opened again") < inside.index("Yes, close it for good")
    assert page.count("/turn/close/") == inside.count("/turn/close/") == 1

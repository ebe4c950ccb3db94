from django.contrib.auth import views as auth_views
from django.urls import path

from accounts.login import second_factor_views
from accounts.own_account import views
from accounts.people import person_views
from accounts.people import views as people_views
from accounts.setup import views as setup_views
from accounts.sign_on import views as sign_on_views
from accounts.tokens import views as token_views

urlpatterns = [
    path("setup/", setup_views.setup, name="setup"),
    path("login/", views.LogInView.as_view(), name="login"),
    path("login/code/", second_factor_views.login_code, name="login-code"),
    path("logout/", auth_views.LogoutView.as_view(), name="logout"),
    path("sign-on/", sign_on_views.sign_on, name="sign-on"),
    path("sign-on/back/", sign_on_views.sign_on_back, name="sign-on-back"),
    path("sign-on/link/", sign_on_views.sign_on_link, name="sign-on-link"),
    path("sign-on/unlink/", sign_on_views.sign_on_unlink, name="sign-on-unlink"),
    path("account/", views.account, name="account"),
    path("account/delete/", views.delete_own, name="account-delete"),
    path("email/", views.email, name="email"),
    path("email/<str:token>/", views.email_confirm, name="email-confirm"),
    path("password/", views.PasswordView.as_view(), name="password"),
    path("forgotten/", views.ForgottenView.as_view(), name="forgotten"),
    path("forgotten/sent/", views.forgotten_sent, name="forgotten-sent"),
    path("new-password/<uidb64>/<token>/", views.NewPasswordView.as_view(), name="new-password"),
    path("second-factor/", second_factor_views.second_factor, name="second-factor"),
    path("second-factor/off/", second_factor_views.second_factor_off, name="second-factor-off"),
    path("keep/", views.keep, name="keep-account"),
    path("people/", people_views.people, name="people"),
    path("people/invite/", people_views.people_invite, name="people-invite"),
    path("people/<int:pk>/", person_views.person, name="person"),
    path("people/<int:pk>/right/<slug:right>/", person_views.person_right, name="person-right"),
    path("people/<int:pk>/password/", person_views.person_password, name="person-password"),
    path("people/<int:pk>/disable/", person_views.person_disable, name="person-disable"),
    path("people/<int:pk>/delete/", person_views.person_delete, name="person-delete"),
    path("people/<int:pk>/enable/", person_views.person_enable, name="person-enable"),
    path("people/<int:pk>/log-out/", person_views.person_log_out, name="person-log-out"),
    path("people/<int:pk>/second-factor/", person_views.person_second_factor, name="person-second-factor"),
    path("people/<int:pk>/tokens/<int:token>/revoke/", person_views.person_token_revoke, name="person-token-revoke"),
    path("tokens/", token_views.tokens, name="tokens"),
    path("tokens/<int:pk>/revoke/", token_views.token_revoke, name="token-revoke"),
]

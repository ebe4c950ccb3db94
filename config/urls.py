from django.urls import include, path

from config.home import home

urlpatterns = [
    path("", home, name="home"),
    path("accounts/", include("accounts.urls")),
    path("", include("annotation.urls")),
    path("", include("analytics.urls")),
    path("", include("campaigns.urls")),
]

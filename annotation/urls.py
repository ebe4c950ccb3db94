from django.urls import path

from annotation.label_page import gate_views as gates
from annotation.label_page import views
from annotation.listening import volume
from annotation.review import views as message_views
from annotation.unit_preview import views as preview_views
from annotation.withdrawal import views as withdrawal_views

urlpatterns = [
    path("label/<slug:slug>/", views.label, name="label"),
    path("label/<slug:slug>/take-back/", views.take_back, name="take-back"),
    path("label/<slug:slug>/ahead/", views.ahead, name="ahead"),
    path("label/<slug:slug>/messages/", message_views.own_messages, name="messages"),
    path("label/<slug:slug>/volume/", volume.volume, name="volume"),
    path("label/<slug:slug>/volume/noise.wav", volume.noise, name="volume-noise"),
    path("label/<slug:slug>/<uuid:assignment_id>/", views.answer, name="answer"),
    path("label/<slug:slug>/<uuid:assignment_id>/heard/", views.heard, name="heard"),
    path("label/<slug:slug>/<uuid:assignment_id>/give-back/", views.give_back, name="give-back"),
    path("label/<slug:slug>/<uuid:assignment_id>/leave/", views.leave_as_it_was, name="leave-as-it-was"),
    path("label/<slug:slug>/guidelines/", gates.guidelines, name="guidelines"),
    path("label/<slug:slug>/ready/<slug:kind>/", gates.gate, name="gate"),
    path("label/<slug:slug>/sound/<str:token>", gates.gate_sound, name="gate-sound"),
    path("label/<slug:slug>/withdraw/", withdrawal_views.withdraw, name="withdraw"),
    path("campaigns/<slug:slug>/preview/", preview_views.preview, name="preview"),
    path("campaigns/<slug:slug>/preview/<uuid:key>/answer/", preview_views.preview_answer, name="preview-answer"),
    path("campaigns/<slug:slug>/preview/<uuid:key>/heard/", preview_views.preview_heard, name="preview-heard"),
    path("campaigns/<slug:slug>/preview/<uuid:key>/skip/", preview_views.preview_skip, name="preview-skip"),
    path("campaigns/<slug:slug>/preview/<str:token>/clip", preview_views.preview_listen, name="preview-listen"),
    path("listen/<str:token>", views.listen, name="listen"),
]

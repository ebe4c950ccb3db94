from django.urls import path

from arena.board import views
from arena.staff import views as staff_views
from arena.voting import views as voting_views

urlpatterns = [
    path("arena/<slug:slug>/", voting_views.arena, name="arena"),
    path("arena/<slug:slug>/start/", voting_views.start, name="arena-start"),
    path("arena/<slug:slug>/ahead/", voting_views.ahead, name="arena-ahead"),
    path("arena/<slug:slug>/votes.<str:form>", staff_views.arena_votes, name="arena-votes"),
    path("arena/<slug:slug>/<uuid:assignment_id>/", voting_views.vote, name="arena-vote"),
    path("campaigns/<slug:slug>/arena/", staff_views.campaign_arena, name="campaign-arena"),
    path("campaigns/<slug:slug>/arena/let-in/", staff_views.arena_let_in, name="arena-let-in"),
    path("campaigns/<slug:slug>/board/", views.board, name="board"),
    path("campaigns/<slug:slug>/board/hide-names/", views.board_lock, name="board-lock"),
    path("campaigns/<slug:slug>/board/units/", views.board_units, name="board-units"),
    path("campaigns/<slug:slug>/board/fragility/", views.board_fragility, name="board-fragility"),
    path("campaigns/<slug:slug>/board.<str:form>", views.board_file, name="board-file"),
    path("label-sets/<int:pk>/board/", views.label_set_board, name="label-set-board"),
    path("label-sets/<int:pk>/board/units/", views.label_set_board_units, name="label-set-board-units"),
    path("label-sets/<int:pk>/board/fragility/", views.label_set_board_fragility, name="label-set-board-fragility"),
    path("label-sets/<int:pk>/board.<str:form>", views.label_set_board_file, name="label-set-board-file"),
]

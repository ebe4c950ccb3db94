from django.urls import path

from arena import views

urlpatterns = [
    path("campaigns/<slug:slug>/board/", views.board, name="board"),
    path("campaigns/<slug:slug>/board/hide-names/", views.board_lock, name="board-lock"),
    path("campaigns/<slug:slug>/board/units/", views.board_units, name="board-units"),
    path("campaigns/<slug:slug>/board.<str:form>", views.board_file, name="board-file"),
    path("label-sets/<int:pk>/board/", views.label_set_board, name="label-set-board"),
    path("label-sets/<int:pk>/board/units/", views.label_set_board_units, name="label-set-board-units"),
    path("label-sets/<int:pk>/board.<str:form>", views.label_set_board_file, name="label-set-board-file"),
]

"""The API of datasets and imports."""

from rest_framework.routers import SimpleRouter

from corpus.datasets.api import DatasetViewSet, ItemViewSet, ResponseViewSet, SystemViewSet
from corpus.imports.api import ImportViewSet
from corpus.imports.mapping.page.api import RecipeViewSet
from corpus.imports.uploads.resumable_api import ResumableUploadViewSet

router = SimpleRouter(use_regex_path=False)
router.register("datasets", DatasetViewSet, "dataset")
router.register("datasets/<slug:dataset>/systems", SystemViewSet, "system")
router.register("datasets/<slug:dataset>/items", ItemViewSet, "item")
router.register("datasets/<slug:dataset>/responses", ResponseViewSet, "response")
router.register("imports", ImportViewSet, "import")
router.register("recipes", RecipeViewSet, "recipe")
router.register("uploads", ResumableUploadViewSet, "resumable-upload")

urlpatterns = router.urls

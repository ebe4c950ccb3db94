"""A first migration, which makes the tables of an app."""

from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import ProjectState


class NewTables(migrations.Migration):
    """All operations make tables. Models are rendered once, and not, with all that refer to them, for each table.

    A fresh install takes half as long by it.
    """

    def apply(
        self,
        project_state: ProjectState,
        schema_editor: BaseDatabaseSchemaEditor,
        collect_sql: bool = False,  # noqa: ARG002 - the schema editor collects by itself
    ) -> ProjectState:
        vars(project_state).pop("apps", None)  # Django renders what is there already again after each operation
        after = self.mutate_state(project_state, preserve=False)
        for operation in self.operations:
            operation.database_forwards(self.app_label, schema_editor, after, after)
        return after

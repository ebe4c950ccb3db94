"""Static files with hashed names, precompressed, imports between ES modules included."""

from servestatic.storage import CompressedManifestStaticFilesStorage

#: Private, but the one way to leave packages' scripts alone, whose comments look like imports.
_OF_ANY_SCRIPT = CompressedManifestStaticFilesStorage._js_module_import_aggregation_patterns  # noqa: SLF001


class ModuleManifestStorage(CompressedManifestStaticFilesStorage):
    """Rewrites `import … from "./x.js"` to the hashed name, so that a new release is never half cached.

    Only in our own modules: a comment in a package's script may look like an import.
    """

    support_js_module_import_aggregation = True
    _js_module_import_aggregation_patterns = ("js/*.js", _OF_ANY_SCRIPT[1])

"""Settings of the documentation: `make docs` builds it, and a warning is an error."""

from typing import Any

import matplotlib as mpl

import reldim

# The gallery draws without a screen, and shows what pyplot holds: in its interactive mode all.
mpl.use("agg")
mpl.interactive(b=True)

project = "reldim"
author = "The reldim developers"
project_copyright = author
release = reldim.__version__
version = release

extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.mathjax",
    "sphinx_gallery.gen_gallery",
]
exclude_patterns = ["_build", "_templates", "_gallery/*.ipynb", "_gallery/*.py"]
templates_path = ["_templates"]

myst_enable_extensions = ["dollarmath", "deflist"]
myst_heading_anchors = 3

# The types stand in the docstrings; repeated in the signatures they would drown the names.
autodoc_typehints = "none"
autodoc_member_order = "bysource"
autosummary_generate = True
# The facade holds names of other files: they are documented where users find them.
autosummary_imported_members = True

# The members of a class are listed by our template.
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False

# The build reaches no network, so that references to other projects cannot be resolved.
nitpick_ignore_regex = [
    ("py:.*", r"(numpy|pandas|rich|scipy|sklearn|skrub|typer)\..*"),
    ("py:attr", r"\w+"),  # numpydoc lists attributes in a table, where nothing can point to.
]

# Every example is run; one that fails fails the build.
sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "_gallery",
    "filename_pattern": r"plot_",
    "within_subsection_order": "FileNameSortKey",
    "abort_on_example_error": True,
    "download_all_examples": False,
    "show_memory": False,
    "show_signature": False,
    "write_computation_times": False,
    "min_reported_time": 600,
    # Only what an example prints: the last value of a block is a display, whose repr says nothing.
    "capture_repr": (),
}

html_theme = "furo"
html_title = f"reldim {release}"


def skip_foreign(
    _app: object, _kind: str, _name: str, member: Any, _skip: object, _options: object
) -> bool | None:
    """Leave out what a class inherits from scikit-learn: it is documented there."""
    return True if str(getattr(member, "__module__", "")).startswith("sklearn.") else None


def setup(app: Any) -> None:
    """Connect the function above to the build."""
    app.connect("autodoc-skip-member", skip_foreign)

# SPDX-License-Identifier: Apache-2.0
"""What Sphinx is to do with the pages of scripts/site_pages.py."""
import os
import pathlib
import re

import furo

top = pathlib.Path(os.environ["DNNL_CACHE_SITE_ROOT"])
project = "dnnl_cache"
version = release = re.search(
    r"project\(dnnl_cache VERSION (\S+)",
    (top / "CMakeLists.txt").read_text(encoding="utf-8"))[1]
html_title = f"{project} {version}"
html_show_copyright = False
html_show_sourcelink = False
html_copy_source = False

extensions = ["myst_parser", "breathe"]
# The names that GitHub gives to headings.
myst_heading_anchors = 4

breathe_projects = {project: os.environ["DNNL_CACHE_SITE_XML"]}
breathe_default_project = project
breathe_domain_by_extension = {"h": "c", "hpp": "cpp"}
breathe_show_enumvalue_initializer = True
highlight_language = "none"

html_theme = "furo"
# Debian's build of the theme lacks its dark colours for browsers that ask for
# them; the theme's template writes those of the options.
css = (pathlib.Path(furo.__file__).parent
       / "theme/furo/static/styles/furo.css").read_text(encoding="utf-8")
if "prefers-color-scheme" not in css:
    dark = re.search(r'body\[data-theme="dark"\] \{(.*?)\}', css, re.DOTALL)[1]
    html_theme_options = {
        "dark_css_variables": dict(re.findall(r"--([\w-]+): ([^;]+);", dark))}
html_static_path = [str(top / "docs/site/static")]
html_css_files = ["site.css"]
pygments_style = "default"
pygments_dark_style = "monokai"

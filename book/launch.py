"""Sphinx extension: where a chapter can be run and edited, as links for the top of its page.

The live notebook of this site (`autograde/build/live.py`) is always offered. With the address of a repository in
`_config.yml` (`repository: url`), so are Colab, Binder and the edit of the chapter's text; with that of a JupyterHub
(`launch_buttons: jupyterhub_url`), so is that. Without the address none of these is shown.
"""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

from docutils import nodes
from sphinx.application import Sphinx

LIVE = "live/notebooks/index.html"
Link = tuple[str, str]


def offer(
    app: Sphinx, page: str, template: str, context: dict[str, Any], tree: nodes.document | None
) -> None:
    """Give the page of a chapter its links: `live`, an address, and `launch`, pairs of a text and an address."""
    folder, _, chapter = page.partition("/")
    options = app.config.html_theme_options
    context["live"], context["launch"] = "", []
    if folder == "chapters":
        context["live"] = f"{context['pathto'](LIVE, 1)}?path={quote(chapter)}.ipynb"
    if repository := str(options.get("repository_url") or ""):
        branch = str(options.get("repository_branch") or "main")
        hub = str((options.get("launch_buttons") or {}).get("jupyterhub_url") or "")
        context["launch"] = links(page, repository.rstrip("/"), branch, hub.rstrip("/"))


def links(page: str, repository: str, branch: str, hub: str) -> list[Link]:
    """(text, address) for a page of a book whose repository stands on GitHub."""
    folder, _, chapter = page.partition("/")
    if folder != "chapters":
        return [("Edit", f"{repository}/edit/{branch}/{page}.md")]
    owner_and_name = "/".join(repository.split("/")[-2:])
    name, file = repository.split("/")[-1], f"chapters/{chapter}.ipynb"
    found = [
        (
            "Colab",
            f"https://colab.research.google.com/github/{owner_and_name}/blob/{branch}/{file}",
        ),
        (
            "Binder",
            f"https://mybinder.org/v2/gh/{owner_and_name}/{branch}?urlpath={quote(f'lab/tree/{file}')}",
        ),
    ]
    if hub:
        place = quote(f"lab/tree/{name}/{file}")
        pull = f"repo={quote(repository, safe='')}&branch={branch}&urlpath={place}"
        found.append(("JupyterHub", f"{hub}/hub/user-redirect/git-pull?{pull}"))
    return [*found, ("Edit", f"{repository}/edit/{branch}/solutions/{chapter}.md")]


def setup(app: Sphinx) -> dict[str, Any]:
    """Register with Sphinx."""
    app.connect("html-page-context", offer, priority=601)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}

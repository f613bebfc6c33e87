"""Bring what the tests need and pip cannot install: a browser and bubblewrap.

As root on Debian or Ubuntu it installs what is missing; elsewhere it says what to install. The tests that need
a missing tool are then skipped, each with its reason.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

WANTED = {"chromium": ("chromium", "chromium-browser", "google-chrome"), "bubblewrap": ("bwrap",)}


def missing() -> list[str]:
    """The Debian packages of which no command is on the PATH."""
    return [package for package, names in WANTED.items() if not any(map(shutil.which, names))]


def main() -> int:
    lacking = missing()
    if "chromium" in lacking and os.environ.get("CHROMIUM"):
        lacking.remove("chromium")
    if not lacking:
        return 0
    command = ["apt-get", "install", "-y", "-qq", *lacking]
    sudo = [] if os.geteuid() == 0 else ["sudo", "-n"]
    if shutil.which("apt-get") and (not sudo or shutil.which("sudo")):
        print(f"installing {', '.join(lacking)}", flush=True)
        environment = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
        for step in (["apt-get", "update", "-qq"], command):
            subprocess.run([*sudo, *step], env=environment, stdout=subprocess.DEVNULL, check=False)
    if still := missing():
        print(
            f"tests that need {' and '.join(still)} will be skipped; to run them: {' '.join(command)}"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())

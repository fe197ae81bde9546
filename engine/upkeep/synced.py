"""Whether a folder lies where a service copies it to other machines, by the names on the way to it and by the files
that such services leave in their folders. Only looks at names; never reads or changes anything there.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

_NAMES = (
    ("dropbox", "Dropbox"),
    ("onedrive", "OneDrive"),
    ("com~apple~clouddocs", "iCloud Drive"),
    ("mobile documents", "iCloud Drive"),
    ("icloud", "iCloud Drive"),
    ("google drive", "Google Drive"),
    ("googledrive", "Google Drive"),
    ("my drive", "Google Drive"),
    ("nextcloud", "Nextcloud"),
    ("owncloud", "ownCloud"),
    ("syncthing", "Syncthing"),
    ("pcloud", "pCloud"),
    ("proton drive", "Proton Drive"),
    ("protondrive", "Proton Drive"),
)
"""How the name of a folder of the service begins, in small letters: "Dropbox (Personal)", "GoogleDrive-me@host"."""

_MARKS = (
    (".dropbox.cache", "Dropbox"),
    (".stfolder", "Syncthing"),
    (".tmp.drivedownload", "Google Drive"),
    (".tmp.driveupload", "Google Drive"),
    (".849c9593-d756-4e56-8d6e-42412f2a707b", "OneDrive"),
    (".nextcloudsync.log", "Nextcloud"),
    (".owncloudsync.log", "ownCloud"),
)
"""Files and folders that stand in the uppermost folder of the service."""

_VARIABLES = ("OneDrive", "OneDriveCommercial", "OneDriveConsumer")
"""Where Windows says that OneDrive's folders are."""


def synced_by(folder: Path) -> str:
    """The name of the service that copies ``folder`` elsewhere, or an empty string. A link counts as where it leads."""
    place = Path(os.path.realpath(folder))
    if any(place.is_relative_to(root) for name in _VARIABLES if (root := os.environ.get(name))):
        return "OneDrive"
    return next((service for each in (place, *place.parents) for service in _services(each)), "")


def _services(folder: Path) -> Iterator[str]:
    name = folder.name.casefold()
    yield from (service for begin, service in _NAMES if _begins(name, begin))
    yield from (service for mark, service in _MARKS if os.path.lexists(folder / mark))


def _begins(name: str, begin: str) -> bool:
    """Not "Dropboxes": what follows is the end, or no letter."""
    return name.startswith(begin) and not name[len(begin) : len(begin) + 1].isalpha()


def data_warning(folder: Path) -> str:
    """What to tell the owner whose data folder is synced; or empty."""
    service = synced_by(folder)
    if not service:
        return ""
    return (
        f"Lamplight's data lies in a folder that {service} copies to other machines: {folder}. The text of your notes "
        "goes with it, and the index may be damaged on the way."
    )


def source_warning(name: str, folder: Path) -> str:
    """What to tell the owner of notes that are synced; or empty. This may be just what they want."""
    service = synced_by(folder)
    if not service:
        return ""
    return f"'{name}' lies in a folder of {service}, which holds these notes too; Lamplight cannot protect them there."

"""Fetching an embedding model that the owner has agreed to: from a list of files into a folder that is tried out."""

from __future__ import annotations

import shutil
from pathlib import Path

from engine.inference.model_folders import import_folder
from engine.job import Job
from engine.model import ModelInfo, ModelOffer
from engine.net.download import consented_client, download_all, read_manifest
from engine.net.ledger import Ledger
from engine.net.policy import MODEL_DOWNLOAD
from engine.paths import Home


def read_offer(file: Path) -> ModelOffer:
    """What a list of files offers, and what fetching it tells whom. Raises ``BadRequest``."""
    manifest = read_manifest(file)
    return ModelOffer(
        manifest.model, manifest.name, manifest.licence, manifest.size, manifest.hosts, MODEL_DOWNLOAD.leaves
    )


def fetch_model(home: Home, file: Path, job: Job, *, replace: bool = False) -> ModelInfo:
    """Download what ``file`` lists and take it in. To be called only after the owner has agreed to the offer.

    Broken off, it goes on from where it was the next time. Raises what ``net.download`` and ``import_folder`` raise.
    """
    manifest = read_manifest(file)
    arriving = home.models / f".download-{manifest.model}"
    download_all(consented_client(manifest, Ledger(home.ledger)), manifest, arriving, job)
    model = import_folder(home, arriving, manifest.model, name=manifest.name, replace=replace)
    shutil.rmtree(arriving)
    return model

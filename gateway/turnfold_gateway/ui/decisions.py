"""Deciding about parked work: the worker's own rules, where its distribution is installed beside this one."""

from __future__ import annotations

from importlib import import_module
from typing import Literal

from turnfold import Settings
from turnfold_gateway.problems import Problem


def decide(settings: Settings, tenant: str, work_id: str, action: Literal["retry", "skip"]) -> str:
    """Retry or skip a piece of work of a tenant; what became of it, in words. Blocks.

    Raises `Problem` (501) where `turnfold-worker` is not installed, `InvalidInput`, `Unavailable`.
    """
    try:
        decisions = import_module("turnfold_worker.operate.decisions")
    except ModuleNotFoundError as error:
        raise Problem(
            501, "no-worker-package", "Jobs cannot be decided about here",
            detail="the rules for it come with turnfold-worker, which is not installed beside the gateway",
            remedy=f"run `turnfold jobs {action} {work_id[:30]}` where workers are installed",
        ) from error  # fmt: skip
    outcome: str = decisions.decide(settings, tenant, work_id, action)
    return outcome

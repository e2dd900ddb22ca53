"""gateway/server.json, which registries of MCP servers read, matches what is shipped."""

from __future__ import annotations

import json
import re
import tomllib
from dataclasses import fields
from pathlib import Path

from turnfold import Settings
from turnfold_gateway.cli import main

GATEWAY = Path(__file__).parents[2] / "gateway"
SERVER = json.loads((GATEWAY / "server.json").read_text(encoding="utf-8"))
PROJECT = tomllib.loads((GATEWAY / "pyproject.toml").read_text(encoding="utf-8"))["project"]
(PACKAGE,) = SERVER["packages"]


def test_names_and_versions_are_those_of_the_distribution() -> None:
    assert (PACKAGE["registryType"], PACKAGE["identifier"]) == ("pypi", PROJECT["name"])
    assert {SERVER["version"], PACKAGE["version"]} == {PROJECT["version"]}
    assert SERVER["name"] in (GATEWAY / "README.md").read_text(encoding="utf-8")


def test_the_bounds_of_the_registry_are_kept() -> None:
    assert SERVER["$schema"] == "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"
    assert re.fullmatch(r"[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+", SERVER["name"])
    assert 1 <= len(SERVER["description"]) <= 100
    assert 1 <= len(SERVER["title"]) <= 100
    assert set(SERVER) <= {"$schema", "name", "title", "description", "version", "packages", "repository", "remotes"}


def test_what_is_started_is_a_command_with_these_options() -> None:
    positional, named = PACKAGE["packageArguments"]
    command = main.commands[positional["value"]]
    assert named["name"] in [option for parameter in command.params for option in parameter.opts]
    assert PROJECT["scripts"] == {PACKAGE["identifier"]: "turnfold_gateway.cli:main"}
    assert PACKAGE["transport"] == {"type": "stdio"}


def test_what_runs_it_installs_what_the_extra_does() -> None:
    extra = {re.split(r"[<>=]", requirement)[0] for requirement in PROJECT["optional-dependencies"]["mcp"]}
    assert {argument["value"] for argument in PACKAGE["runtimeArguments"]} == extra


def test_every_variable_is_a_setting_and_what_holds_a_password_is_a_secret() -> None:
    variables = {variable["name"]: variable for variable in PACKAGE["environmentVariables"]}
    assert set(variables) <= {f"TURNFOLD_{field.name.upper()}" for field in fields(Settings)}
    assert {name for name, variable in variables.items() if variable.get("isSecret")} == {
        "TURNFOLD_REDIS_URL", "TURNFOLD_DATABASE_URL",
    }  # fmt: skip

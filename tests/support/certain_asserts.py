"""Find tests that may pass without a check, because each assert is in a loop or a branch that may not run.

Only the source counts: a loop over a literal certainly runs, a loop over a computed value may not. A call of
`wait_until`, or of a function named `assert…` or `check…`, is a check; calls of functions in the same file are
followed.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable, Iterable, Iterator

CHECKS = ("assert", "check", "_check", "wait_until", "_wait_until", "raises", "run_state_machine_as_test")
"""Prefixes of the names of functions that raise when a check fails."""
KEEPS_LENGTH = {"enumerate", "frozenset", "list", "reversed", "set", "sorted", "tuple"}
"""Built-in functions whose result is empty only if their argument is."""
Function = ast.FunctionDef | ast.AsyncFunctionDef
NESTED = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)


def unchecked_tests(source: str) -> list[str]:
    """Return the names of a file's tests that contain checks, none of which certainly runs."""
    module = ast.parse(source)
    functions = [node for node in ast.walk(module) if isinstance(node, Function)]
    tests = [node for node in functions if node.name.startswith("test_") and not plainly_asserts(node)]
    if not tests:
        return []
    file = TestFile(module)
    return [test.name for test in tests if file.may_check(test) and not file.certainly_checks(test)]


def plainly_asserts(function: Function) -> bool:
    """Return whether an assert follows statements that never leave the function: most tests need no closer look."""
    for statement in function.body:
        if isinstance(statement, ast.Assert):
            return True
        if may_leave(statement):
            return False
    return False


class TestFile:
    """The functions of a file and the values of its names."""

    __test__ = False

    def __init__(self, module: ast.Module) -> None:
        self.functions = {node.name: node for node in ast.walk(module) if isinstance(node, Function)}
        self.values = bindings(module)
        self.open: set[str] = set()
        """Functions under analysis, to stop recursion."""

    def may_check(self, function: Function) -> bool:
        """Return whether a function, or one of the same file that it calls, contains any check."""
        if function.name in self.open:
            return False
        self.open.add(function.name)
        try:
            return any(
                isinstance(node, ast.Assert) or self.is_check(node, self.may_check) for node in ast.walk(function)
            )
        finally:
            self.open.discard(function.name)

    def certainly_checks(self, function: Function) -> bool:
        """Return whether every run of the function that ends without an error performs a check."""
        if function.name in self.open:
            return False
        self.open.add(function.name)
        outside, self.values = self.values, {**self.values, **bindings(function)}
        try:
            return self.block_checks(function.body)
        finally:
            self.values = outside
            self.open.discard(function.name)

    def block_checks(self, statements: Iterable[ast.stmt]) -> bool:
        for statement in statements:
            if self.statement_checks(statement):
                return True
            if may_leave(statement) and not self.leaves_checked(statement):
                return False
        return False

    def leaves_checked(self, statement: ast.stmt) -> bool:
        """Return whether every branch that may leave performs a check first."""
        if not isinstance(statement, ast.If):
            return False
        branches = (branch for branch in (statement.body, statement.orelse) if any(map(may_leave, branch)))
        return all(map(self.block_checks, branches))

    def statement_checks(self, statement: ast.stmt) -> bool:
        checks = self.block_checks
        match statement:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef() | ast.AsyncFor() | ast.Match():
                return False
            case ast.For(iter=looped, body=body, orelse=otherwise):
                certain = (
                    self.expression_checks(looped) or (self.is_filled(looped) and checks(body)) or checks(otherwise)
                )
            case ast.While(test=test, body=body):
                certain = self.expression_checks(test) or (isinstance(test, ast.Constant) and checks(body))
            case ast.If(test=test, body=body, orelse=otherwise):
                certain = self.expression_checks(test) or (checks(body) and checks(otherwise))
            case ast.With(items=entered, body=body) | ast.AsyncWith(items=entered, body=body):
                certain = any(map(self.expression_checks, entered)) or checks(body)
            case ast.Try() | ast.TryStar():
                certain = any(map(checks, (statement.body, statement.orelse, statement.finalbody)))
            case _:
                certain = isinstance(statement, ast.Assert) or self.expression_checks(statement)
        return certain

    def expression_checks(self, node: ast.AST) -> bool:
        """Return whether a check is called outside comprehensions over possibly empty iterables."""
        if isinstance(node, ast.Lambda):
            return False
        if isinstance(node, ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp):
            return self.is_filled(node) and any(map(self.expression_checks, ast.iter_child_nodes(node)))
        return self.is_check(node) or any(map(self.expression_checks, ast.iter_child_nodes(node)))

    def is_check(self, node: ast.AST, of_own: Callable[[Function], bool] | None = None) -> bool:
        """Return whether a node calls a check; `of_own` decides for functions of the same file."""
        if not isinstance(node, ast.Call):
            return False
        name = called(node)
        on_another = isinstance(node.func, ast.Attribute) and ast.unparse(node.func.value) != "self"
        own = None if on_another else self.functions.get(name)
        return name.startswith(CHECKS) if own is None else (of_own or self.certainly_checks)(own)

    def is_filled(self, value: ast.AST | None) -> bool:
        """Return whether an iterable is certainly not empty."""
        match value:
            case ast.Constant(value=constant):
                filled = isinstance(constant, str | bytes) and bool(constant)
            case ast.List(elts=entries) | ast.Tuple(elts=entries) | ast.Set(elts=entries):
                filled = any(not isinstance(entry, ast.Starred) or self.is_filled(entry.value) for entry in entries)
            case ast.Dict(keys=names, values=values):
                filled = any(name or self.is_filled(unpacked) for name, unpacked in zip(names, values, strict=True))
            case ast.Name(id=name):
                filled = self.is_name_filled(name)
            case ast.BinOp(op=ast.Add() | ast.BitOr(), left=left, right=right):
                filled = self.is_filled(left) or self.is_filled(right)
            case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
                filled = all(not loop.ifs and self.is_filled(loop.iter) for loop in value.generators)
            case ast.Call():
                filled = self.is_call_filled(value)
            case _:
                filled = False
        return filled

    def is_name_filled(self, name: str) -> bool:
        value = self.values.pop(name, None)
        if value is None:
            return False
        try:
            return self.is_filled(value)
        finally:
            self.values[name] = value

    def is_call_filled(self, call: ast.Call) -> bool:
        name = called(call)
        if isinstance(call.func, ast.Attribute) and name in {"items", "keys", "values"}:
            return self.is_filled(call.func.value)
        if name == "range":
            bounds = [self.number(bound) for bound in call.args]
            return None not in bounds and bool(range(*[bound for bound in bounds if bound is not None]))
        if name in {"zip", "product"}:
            strict = any(keyword.arg == "strict" and ast.unparse(keyword.value) == "True" for keyword in call.keywords)
            return bool(call.args) and (any if strict else all)(map(self.is_filled, call.args))
        return name in KEEPS_LENGTH and bool(call.args) and self.is_filled(call.args[0])

    def number(self, node: ast.expr) -> int | None:
        """Return the integer that an expression states, or that its name is bound to."""
        if isinstance(node, ast.Name):
            bound = self.values.get(node.id)
            return None if bound is None else self.number(bound)
        try:
            value = ast.literal_eval(node)
        except ValueError:
            return None
        return value if isinstance(value, int) else None


def called(call: ast.Call) -> str:
    """Return the last part of the called name."""
    match call.func:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
        case _:
            return ""


def may_leave(node: ast.AST, *, loop: bool = True) -> bool:
    """Return whether a statement may skip what follows: by `return`, or by `break` or `continue` of its loop.

    A `return` in a handler of a named error does not count, since the test then checks that no other outcome is
    possible.
    """
    if isinstance(node, (*NESTED, ast.ExceptHandler)):
        return False
    if isinstance(node, ast.Return) or (loop and isinstance(node, ast.Break | ast.Continue)):
        return True
    inner = loop and not isinstance(node, ast.For | ast.AsyncFor | ast.While)
    return any(may_leave(child, loop=inner) for child in ast.iter_child_nodes(node))


def own_nodes(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes that run with a statement, without those of nested functions."""
    if isinstance(node, NESTED):
        return
    yield node
    for child in ast.iter_child_nodes(node):
        yield from own_nodes(child)


def bindings(scope: ast.Module | Function) -> dict[str, ast.expr | None]:
    """Return the names bound in a scope, each with its expression, or None if it is not bound to one."""
    nodes = [node for statement in scope.body for node in own_nodes(statement)]
    values: dict[str, ast.expr | None] = {}
    for node in nodes:
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                values[name] = value
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
                values[name] = value
            case _:
                pass
    stored = Counter(node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store))
    arguments = (
        []
        if isinstance(scope, ast.Module)
        else [node.arg for node in ast.walk(scope.args) if isinstance(node, ast.arg)]
    )
    return (
        values
        | dict.fromkeys(arguments)
        | {name: None for name, times in stored.items() if times > 1 or name not in values}
    )

"""Write the one migration anew from `turnfold.contract.tables`: only until 1.0, when the schema begins to be kept."""

from __future__ import annotations

import subprocess
import sys
import warnings
from typing import TYPE_CHECKING, Any

from alembic import command
from alembic.operations.ops import CreateIndexOp, CreateTableOp, DropTableOp, MigrateOperation, MigrationScript

from turnfold.contract.tables import Base
from turnfold.database.engines import connect
from turnfold_worker.operate.migrate import MIGRATIONS, configuration

if TYPE_CHECKING:
    from alembic.migration import MigrationContext


def create_everything(context: MigrationContext, revision: Any, directives: list[MigrationScript]) -> None:  # noqa: ARG001
    """Comparison with a database would leave out indexes on expressions, which no dialect of it can see."""
    script = directives[0]
    creations: list[MigrateOperation] = []
    for table in Base.metadata.sorted_tables:
        creations.append(CreateTableOp.from_table(table))
        creations.extend(CreateIndexOp.from_index(index) for index in sorted(table.indexes, key=lambda i: str(i.name)))
    assert script.upgrade_ops is not None  # noqa: S101 - for the type checker
    assert script.downgrade_ops is not None  # noqa: S101
    script.upgrade_ops.ops = creations
    script.downgrade_ops.ops = [DropTableOp.from_table(table) for table in reversed(Base.metadata.sorted_tables)]


def main() -> None:
    written = MIGRATIONS / "versions" / "0001_first.py"
    written.unlink(missing_ok=True)
    engine = connect("sqlite://", write=True, timeout_seconds=5)
    with engine.begin() as connection:
        config = configuration(connection)
        config.set_main_option("file_template", "%%(rev)s_first")
        with warnings.catch_warnings(action="ignore", category=UserWarning):
            command.revision(
                config,
                message="The schema of version 1.",
                rev_id="0001",
                autogenerate=True,
                process_revision_directives=create_everything,
            )
    lines = written.read_text().splitlines(keepends=True)
    written.write_text("".join(line for line in lines if not line.strip().startswith("# ###")))
    subprocess.run([sys.executable, "-m", "ruff", "format", "--quiet", str(written)], check=True)  # noqa: S603


if __name__ == "__main__":
    main()

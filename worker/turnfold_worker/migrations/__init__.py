"""Alembic migrations of the schema in `turnfold.contract.tables`."""

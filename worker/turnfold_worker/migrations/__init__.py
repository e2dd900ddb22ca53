"""Alembic's migrations of the schema in `turnfold.contract.tables`. Until 1.0 there is one file, free to change."""

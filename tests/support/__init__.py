"""Servers, workers, fakes, checks and strategies that the test suites share."""

"""What the suites share: servers, workers, fakes, checks and strategies."""

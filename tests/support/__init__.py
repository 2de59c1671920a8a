"""Shared parts of the tests: plain classes and builders, no mock library."""

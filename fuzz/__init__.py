"""Fuzzing and soaking: random input against the readers, the report and an oracle."""

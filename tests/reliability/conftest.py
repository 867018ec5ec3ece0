"""The promises are run by test_promises.py; collected for doctests they would be made twice."""

collect_ignore_glob = ["about_*.py"]

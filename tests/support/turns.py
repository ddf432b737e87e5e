"""Tests that take turns: in `make test` one case in TURNS runs, and the commit chooses which (tools/test.py). In any other run
all cases do."""
import os

TURNS = 4


def turn():
    """None where all run."""
    text = os.environ.get("SINPOS_TEST_TURN")
    return int(text) % TURNS if text else None


def mine(cases):
    return list(cases) if turn() is None else list(cases)[turn()::TURNS]

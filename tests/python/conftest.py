"""Functions with many cases take turns, as in turns.py."""
import itertools
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
import turns

MANY = 6


def pytest_collection_modifyitems(config, items):
    kept = []
    for _, group in itertools.groupby(list(items), key=lambda item: item.nodeid.partition("[")[0]):
        cases = list(group)
        kept += turns.mine(cases) if len(cases) >= MANY else cases
    chosen = set(kept)
    config.hook.pytest_deselected(items=[item for item in items if item not in chosen])
    items[:] = kept

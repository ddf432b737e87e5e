"""Functions with many cases take turns, as in turns.py, and so do those that take ten seconds (pytest.mark.heavy)."""
import itertools
import pathlib
import sys
import zlib

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
import turns

MANY = 6


def pytest_configure(config):
    config.addinivalue_line("markers", "heavy: takes ten seconds")


def is_chosen(item):
    place = item.nodeid.rpartition("/")[2]
    return item.get_closest_marker("heavy") is None or turns.turn() in (None, zlib.crc32(place.encode()) % turns.TURNS)


def pytest_collection_modifyitems(config, items):
    kept = []
    for _, group in itertools.groupby(list(items), key=lambda item: item.nodeid.partition("[")[0]):
        cases = list(group)
        kept += turns.mine(cases) if len(cases) >= MANY else cases
    chosen = {item for item in kept if is_chosen(item)}
    config.hook.pytest_deselected(items=[item for item in items if item not in chosen])
    items[:] = [item for item in kept if item in chosen]

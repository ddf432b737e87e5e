"""In the small size, functions with many cases take turns: one case in three, as tools/test.py says which."""
import collections
import os
import zlib

TURNS = 3
MANY = 24


def pytest_collection_modifyitems(config, items):
    if os.environ.get("SINPOS_TEST_SIZE") != "small" or "SINPOS_TEST_TURN" not in os.environ:
        return
    turn = int(os.environ["SINPOS_TEST_TURN"])
    cases = collections.Counter(item.nodeid.partition("[")[0] for item in items)
    others = [item for item in items if cases[item.nodeid.partition("[")[0]] >= MANY
              and zlib.crc32(item.nodeid.encode()) % TURNS != turn]
    config.hook.pytest_deselected(items=others)
    items[:] = [item for item in items if item not in set(others)]

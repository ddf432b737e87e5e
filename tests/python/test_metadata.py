"""What package managers read of the installed wheel; a build folder has no metadata."""
import importlib.metadata
import os
import pathlib
import re
import tomllib

import pytest

import sinpos

ROOT = pathlib.Path(os.environ.get("SINPOS_SOURCE") or pathlib.Path(__file__).resolve().parents[2])


@pytest.fixture(scope="module")
def wheel():
    try:
        return importlib.metadata.distribution("sinpos")
    except importlib.metadata.PackageNotFoundError:
        pytest.skip("sinpos is not installed here")


@pytest.fixture(scope="module")
def project():
    return tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def test_name_and_version(wheel):
    header = (ROOT / "include" / "sinpos.h").read_text()
    version = re.search(r'^#define SINPOS_VERSION "(.*)"$', header, re.M)[1]
    assert (wheel.metadata["Name"], wheel.metadata["Version"], sinpos.__version__) == ("sinpos", version, version)


def test_licence(wheel):
    """Its name in the metadata, its text beside them."""
    text = (ROOT / "LICENSE").read_text()
    assert wheel.metadata["License"] == "MIT" == text.split()[0]
    assert wheel.read_text("LICENSE") == text
    authors = re.search(r"^Copyright \(c\) \d+ (.*)$", text, re.M)[1]
    assert wheel.metadata["Author"] == authors
    assert "License :: OSI Approved :: MIT License" in wheel.metadata.get_all("Classifier")


def test_description(wheel, project):
    """The README is the page of the package."""
    assert wheel.metadata["Summary"] == project["description"]
    assert wheel.metadata["Description-Content-Type"] == "text/markdown"
    described = wheel.metadata.get_payload() or wheel.metadata["Description"]
    assert described.strip() == (ROOT / "README.md").read_text().strip()


def test_requirements(wheel, project):
    def squeezed(text):
        return re.sub(r"[\s()]", "", text).replace("'", '"')

    extras = project["optional-dependencies"]
    wanted = project["dependencies"] + [f'{what};extra=="{extra}"' for extra, list_ in extras.items() for what in list_]
    assert sorted(map(squeezed, wheel.requires)) == sorted(map(squeezed, wanted))
    assert sorted(wheel.metadata.get_all("Provides-Extra")) == sorted(extras)
    assert wheel.metadata["Requires-Python"] == project["requires-python"]
    assert sorted(wheel.metadata.get_all("Classifier")) == sorted(project["classifiers"])


def test_files(wheel):
    """The package alone, one extension for all versions of CPython, and types."""
    files = {str(file) for file in wheel.files}
    folder = f"sinpos-{wheel.version}.dist-info/"
    assert {"sinpos/_core.abi3.so", "sinpos/_core.pyi", "sinpos/py.typed", folder + "LICENSE"} <= files
    assert {name for name in files if not name.startswith(("sinpos/", folder))} == set()
    assert [name for name in files if name.endswith(".so")] == ["sinpos/_core.abi3.so"]

from pathlib import Path

from featuredel.languages.python.metadata import parse_requirement, read_metadata


def write(root: Path, **files: str) -> Path:
    for name, text in files.items():
        (root / name.replace("__", ".").replace("PKG_INFO", "PKG-INFO")).write_text(text)
    return root


def test_pyproject_is_asked_first(tmp_path: Path) -> None:
    root = write(
        tmp_path,
        pyproject__toml="""
            [project]
            name = "My.Project"
            requires-python = ">=3.9"
            dependencies = ["attrs>=22"]
            [project.optional-dependencies]
            Test_Extra = ["pytest", "mock"]
        """,
        setup__py="from setuptools import setup; setup(name='other', install_requires=['six'])",
    )
    found = read_metadata(root)
    assert found.name == "my-project"
    assert found.requires_python == ">=3.9"
    assert found.dependencies == ("attrs>=22",)
    assert found.extras == {"test-extra": ("pytest", "mock")}
    assert found.buildable


def test_package_information_fills_what_the_build_would_say(tmp_path: Path) -> None:
    root = write(
        tmp_path,
        pyproject__toml='[project]\nname = "p"\ndynamic = ["dependencies"]',
        PKG_INFO=(
            "Metadata-Version: 2.1\nName: p\nProvides-Extra: test\nProvides-Extra: all\n"
            "Requires-Dist: click\n"
            'Requires-Dist: tomli; python_version < "3.11" and extra == "test"\n'
            "Requires-Dist: mock; extra == 'test'\n"
            'Requires-Dist: rich>=10; extra == "all"\n\ntext\n'
        ),
    )
    found = read_metadata(root)
    assert found.dependencies == ("click",)
    assert found.extras["test"] == ('tomli; python_version < "3.11"', "mock")
    assert found.extras["all"] == ("rich>=10",)


def test_setup_py_is_read_as_far_as_it_is_literal(tmp_path: Path) -> None:
    root = write(
        tmp_path,
        setup__py="""
import os
from setuptools import setup
TESTS = ["mock", "nose"]
setup(
    name="p" + "q",
    version=os.environ["NEVER"],
    install_requires=["six", *TESTS],
    tests_require=TESTS + ["coverage"],
    extras_require={"dev": TESTS, "computed": os.listdir(".")},
    python_requires=">=3.8",
)
""",
    )
    found = read_metadata(root)
    assert found.name == "pq"
    assert found.dependencies == ("six", "mock", "nose")
    assert found.setup_py["tests_require"] == ["mock", "nose", "coverage"]
    assert found.extras == {"dev": ("mock", "nose")}
    assert found.requires_python == ">=3.8"


def test_setup_cfg_and_egg_info(tmp_path: Path) -> None:
    root = write(
        tmp_path,
        setup__cfg="""
[metadata]
name = p
[options]
python_requires = >=3.8
[options.extras_require]
test =
    pytest
    # a comment
    mock>=1
""",
    )
    (root / "p.egg-info").mkdir()
    (root / "p.egg-info/requires.txt").write_text('six\n\n[:python_version<"3"]\nfutures\n')
    found = read_metadata(root)
    assert found.extras["test"] == ("pytest", "mock>=1")
    assert found.dependencies == ("six", 'futures; python_version<"3"')


def test_broken_files_say_nothing(tmp_path: Path) -> None:
    root = write(tmp_path, pyproject__toml="[project", setup__cfg="no section", setup__py="def (")
    found = read_metadata(root)
    assert (found.name, found.dependencies, dict(found.extras)) == ("", (), {})


def test_a_link_is_never_followed(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("[project]\nname = 'secret'\n")
    root = tmp_path / "tree"
    root.mkdir()
    (root / "pyproject.toml").symlink_to(tmp_path / "secret")
    assert read_metadata(root).name == ""


def test_urls_and_paths_are_no_requirements() -> None:
    assert parse_requirement("a @ https://example.invalid/a.whl") is None
    assert parse_requirement("../a") is None
    assert str(parse_requirement(" a>=1 ")) == "a>=1"

from datetime import date
from pathlib import Path

from featuredel.languages.python import uv


def test_resolving_is_for_wheels_only_and_dated() -> None:
    arguments = uv.compile_arguments(Path("r"), Path("e"), Path("/p"), date(2024, 1, 2))
    assert arguments[arguments.index("--only-binary") + 1] == ":all:"
    assert arguments[arguments.index("--exclude-newer") + 1] == "2024-01-02"
    assert "--exclude-newer" not in uv.compile_arguments(Path("r"), Path("e"), Path("/p"), None)


def test_the_users_choice_of_index_is_passed_on_and_nothing_else() -> None:
    found = uv.variables(
        {
            "UV_DEFAULT_INDEX": "a",
            "SSL_CERT_FILE": "b",
            "https_proxy": "c",
            "UV_CACHE_DIR": "d",
            "SECRET": "e",
        }
    )
    assert found["UV_DEFAULT_INDEX"] == "a"
    assert found["SSL_CERT_FILE"] == "b"
    assert found["https_proxy"] == "c"
    assert not {"UV_CACHE_DIR", "SECRET"} & set(found)


def test_messages() -> None:
    wheels = "hint: Wheels are required for `Doc_Opt` because building from source is disabled"
    assert uv.without_wheels(wheels) == "doc-opt"
    assert uv.without_wheels("else") is None
    unknown = "Because No_Such was not found in the package registry and you require No_Such"
    assert uv.blamed(unknown) == {"no-such"}
    assert uv.network_trouble("error sending request for url (x)")
    assert not uv.network_trouble(unknown)


def test_the_pretended_version_reaches_every_back_end() -> None:
    found = uv.pretended_version("my-project", "1.2")
    assert found["SETUPTOOLS_SCM_PRETEND_VERSION"] == "1.2"
    assert found["SETUPTOOLS_SCM_PRETEND_VERSION_FOR_MY_PROJECT"] == "1.2"
    assert found["PDM_BUILD_SCM_VERSION"] == "1.2"


def test_the_tail_of_a_log_is_short() -> None:
    assert uv.tail("a\n\nb\nc\n", 2) == "b\nc"
    assert len(uv.tail("x" * 5000)) == 2000


def test_a_build_that_tells_what_it_was_built_from() -> None:
    build = ("/tools/uv", "pip", "install", "frob<2")
    program, option, script, *rest = uv.and_hash(build, "frob<2", "/p", date(2024, 1, 2))
    assert (program, option, rest) == ("sh", "-c", ["frob<2", *build])
    assert script.startswith('"$@" && ')
    assert "--exclude-newer 2024-01-02" in script


def test_the_archive_or_commit_in_a_lock() -> None:
    lock = '[[packages]]\nname = "frob"\nversion = "1.0"\n{} = {{ hashes = {{ sha256 = "00" }} }}\n'
    assert uv.locked(lock.format("sdist")) == "frob==1.0 sha256:00"
    assert uv.locked(lock.format("archive")) == "frob==1.0 sha256:00"
    commit = '[[packages]]\nname = "frob"\nvcs = { type = "git", commit-id = "00" }'
    assert uv.locked(commit) == "frob commit 00"
    assert uv.locked("") == uv.locked("no lock") == uv.locked("[[packages]]\nname = 'a'") == ""

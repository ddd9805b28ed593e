"""What is known of distributions by name: tables, and the questions asked of them."""

import re
import sys

from packaging.utils import canonicalize_name


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


IMPORT_TO_DISTRIBUTION = {
    "_cffi_backend": "cffi",
    "absl": "absl-py",
    "attr": "attrs",
    "bs4": "beautifulsoup4",
    "cairo": "pycairo",
    "Crypto": "pycryptodome",
    "Cryptodome": "pycryptodomex",
    "cv2": "opencv-python-headless",
    "dateutil": "python-dateutil",
    "deprecate": "pydeprecate",
    "discord": "discord.py",
    "dns": "dnspython",
    "docx": "python-docx",
    "dotenv": "python-dotenv",
    "editorconfig": "EditorConfig",
    "elftools": "pyelftools",
    "flask_cors": "flask-cors",
    "flask_sqlalchemy": "flask-sqlalchemy",
    "fs": "fs",
    "gi": "PyGObject",
    "git": "GitPython",
    "github": "PyGithub",
    "gflags": "python-gflags",
    "google.protobuf": "protobuf",
    "igraph": "igraph",
    "ipywidgets": "ipywidgets",
    "isodate": "isodate",
    "jose": "python-jose",
    "jwt": "PyJWT",
    "kafka": "kafka-python",
    "ldap": "python-ldap",
    "Levenshtein": "levenshtein",
    "lxml_html_clean": "lxml-html-clean",
    "magic": "python-magic",
    "markdown": "Markdown",
    "memcache": "python-memcached",
    "mpl_toolkits": "matplotlib",
    "msgpack": "msgpack",
    "multipart": "python-multipart",
    "MySQLdb": "mysqlclient",
    "nacl": "PyNaCl",
    "Naked": "Naked",
    "OpenSSL": "pyOpenSSL",
    "osgeo": "GDAL",
    "past": "future",
    "PIL": "pillow",
    "pkg_resources": "setuptools",
    "pptx": "python-pptx",
    "psycopg2": "psycopg2-binary",
    "pyasn1_modules": "pyasn1-modules",
    "pylab": "matplotlib",
    "pythonjsonlogger": "python-json-logger",
    "railroad": "railroad-diagrams",
    "rapidjson": "python-rapidjson",
    "ruamel": "ruamel.yaml",
    "serial": "pyserial",
    "skimage": "scikit-image",
    "sklearn": "scikit-learn",
    "slugify": "python-slugify",
    "snappy": "python-snappy",
    "socks": "PySocks",
    "sphinx_rtd_theme": "sphinx-rtd-theme",
    "telegram": "python-telegram-bot",
    "tidylib": "pytidylib",
    "tlz": "toolz",
    "tornado": "tornado",
    "typing_extensions": "typing-extensions",
    "usb": "pyusb",
    "win32api": "pywin32",
    "wx": "wxPython",
    "Xlib": "python-xlib",
    "yaml": "PyYAML",
    "zmq": "pyzmq",
    "zope": "zope.interface",
}
"""Import names whose distribution is called otherwise."""

FIXTURE_TO_DISTRIBUTION = {
    "aiohttp_client": "pytest-aiohttp",
    "aioresponses": "aioresponses",
    "benchmark": "pytest-benchmark",
    "data_regression": "pytest-regressions",
    "datadir": "pytest-datadir",
    "shared_datadir": "pytest-datadir",
    "django_user_model": "pytest-django",
    "event_loop": "pytest-asyncio",
    "faker": "faker",
    "file_regression": "pytest-regressions",
    "freezer": "pytest-freezer",
    "fs": "pyfakefs",
    "fake_process": "pytest-subprocess",
    "fp": "pytest-subprocess",
    "httpbin": "pytest-httpbin",
    "httpserver": "pytest-httpserver",
    "httpx_mock": "pytest-httpx",
    "lazy_shared_datadir": "pytest-datadir",
    "mocker": "pytest-mock",
    "nursery": "pytest-trio",
    "qtbot": "pytest-qt",
    "requests_mock": "requests-mock",
    "respx_mock": "respx",
    "snapshot": "syrupy",
    "time_machine": "time-machine",
    "tmp_path_retry": "pytest-retry",
}
"""Fixtures that a plugin gives."""

MARK_TO_DISTRIBUTION = {
    "asyncio": "pytest-asyncio",
    "anyio": "anyio",
    "benchmark": "pytest-benchmark",
    "datafiles": "pytest-datafiles",
    "dependency": "pytest-dependency",
    "django_db": "pytest-django",
    "freeze_time": "pytest-freezer",
    "forked": "pytest-forked",
    "flaky": "flaky",
    "httpx_mock": "pytest-httpx",
    "mpl_image_compare": "pytest-mpl",
    "repeat": "pytest-repeat",
    "respx": "respx",
    "trio": "pytest-trio",
    "vcr": "pytest-recording",
}
"""Marks that mean nothing without a plugin."""

OPTION_TO_DISTRIBUTION = {
    "asyncio_mode": "pytest-asyncio",
    "asyncio_default_fixture_loop_scope": "pytest-asyncio",
    "trio_mode": "pytest-trio",
    "DJANGO_SETTINGS_MODULE": "pytest-django",
    "env": "pytest-env",
    "mocked-sessions": "alchemy-mock",
    "qt_api": "pytest-qt",
    "doctest_plus": "pytest-doctestplus",
    "doctest_subpackage_requires": "pytest-doctestplus",
    "pytester_example_dir": "pytest",
    "mypy_testing_base": "pytest-mypy-plugins",
    "remote_data_strict": "pytest-remotedata",
}
"""Keys of pytest's configuration that a plugin reads."""

WELL_KNOWN = _words(
    "aiohttp anyio asgiref attrs babel brotli certifi chardet charset_normalizer click colorama "
    "cryptography cython dateparser django docutils exceptiongroup fastapi flask freezegun gevent "
    "greenlet h11 h2 hamcrest httpbin httpcore httpx hypothesis idna jinja2 joblib jsonschema "
    "lxml mako markupsafe marshmallow matplotlib mock moto mpmath msgpack networkx nose numba "
    "numpy orjson pandas parameterized pexpect pluggy polars pretend psutil ptyprocess pyarrow "
    "pydantic pyfakefs pygments pyparsing pytz redis regex requests responses rich scipy "
    "setuptools simplejson six sniffio sortedcontainers sqlalchemy starlette sympy tabulate "
    "testfixtures testtools toml tomli tomli_w tomlkit toolz tqdm trio trustme twisted tzdata "
    "tzlocal ujson urllib3 uvicorn uvloop vcr webtest websockets werkzeug wrapt xarray "
    "xmltodict zstandard"
)
"""Import names of distributions that many tests use; each has the name of its distribution."""

_NOT_FOR_TESTING = re.compile(
    r"""
    (flake8|pylint|pyroma|pydocstyle|pycodestyle|pyflakes|pep8|pep8-naming|black|blacken-docs
    |isort|ruff|yapf|autopep8|autoflake|pyupgrade|bandit|safety|vulture|radon|xenon|codespell
    |interrogate|refurb|ufmt|usort|fixit|djlint|yamllint|doc8|darglint|mccabe|rstcheck|restructuredtext-lint
    |docformatter|pip-audit|zizmor|slotscheck|check-manifest|check-sdist|validate-pyproject|typos|pyspelling
    |mypy|pyright|basedpyright|pyre-check|pytype|pyrefly|ty|typeguard-cli|monkeytype
    |sphinx|furo|mkdocs|mkdocstrings|zensical|numpydoc|nbsphinx|myst-parser|myst-nb|pdoc|pdoc3|recommonmark
    |pydata-sphinx-theme|releases|towncrier|autodocsumm|griffe|mike|ghp-import|pymdown-extensions
    |pre-commit|tox|nox|build|twine|wheel|check-wheel-contents|bump2version|bumpversion|bumpver|bump-my-version
    |python-semantic-release|commitizen|reno|zest-releaser|cibuildwheel|auditwheel|flit|hatch|poetry|pdm
    |pip|pip-tools|pipenv|uv|virtualenv|invoke|tbump|hatch-.*|changelist|scriv|git-changelog|gha-update
    |asv|airspeed-velocity|pyperf|py-spy|memray|scalene|codecov|coveralls|codacy-coverage|diff-cover
    |ipython|ipdb|pdbpp|jupyter|jupyterlab|notebook|ipykernel|rich-cli|watchdog-cli
    |pytest-(flake8|black|black-multipy|isort|pylint|pycodestyle|codestyle|pep8|ruff|checkdocs|enabler|randomly
      |mypy|clarity|sugar|icdiff|pretty|watch|watcher|instafail|perf|codspeed|flakes|cython-lint)
    |nose-cov|nose-timer)
    | (flake8|pylint|sphinx|sphinxcontrib|sphinxext|mkdocs|tox|nox|pydata-sphinx|jupyter)-.*
    | setuptools-scm | setuptools-git-versioning | pallets-sphinx-themes
    | types-.* | .*-stubs | .*-sphinx-theme | .*-mypy-plugin
    """,
    re.VERBOSE,
)

_HEAVY = _words(
    "torch torchvision torchaudio tensorflow tensorflow-cpu jax jaxlib keras pyspark mxnet "
    "cupy transformers vtk pyqt5 pyqt6 pyside2 pyside6 xgboost lightgbm ray dask-cuda "
    "modin apache-airflow apache-beam playwright selenium opencv-python bokeh"
)

_PYTHON_2 = _words(
    "ConfigParser StringIO cStringIO Queue urllib2 urlparse cPickle __builtin__ Tkinter httplib "
    "thread commands HTMLParser exceptions copy_reg dummy_thread SocketServer BaseHTTPServer "
    "SimpleHTTPServer htmlentitydefs cookielib Cookie itertools_ext xmlrpclib UserDict sets "
    "_winreg __pypy__ java js pyodide asyncore asynchat imp distutils smtpd"
)

_TEST_MODULE = re.compile(r"tests?|tests?_.*|.*_tests?|conftest")
_RUNNER = frozenset({"pytest", "_pytest", "py"})


def for_testing(name: str) -> bool:
    """Tell whether a distribution in a development list may matter to a test."""
    return _NOT_FOR_TESTING.fullmatch(canonicalize_name(name)) is None


def heavy(name: str) -> bool:
    """Tell whether a distribution is too large to be installed on a mere guess."""
    return canonicalize_name(name) in _HEAVY


def distribution_of(module: str) -> str | None:
    """Return the distribution that likely holds an imported module, None if none should.

    The standard library, Python 2's modules and pytest itself are held by none.
    """
    top = module.partition(".")[0]
    if top in sys.stdlib_module_names or top in _PYTHON_2 or top in _RUNNER:
        return None
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", top) or _TEST_MODULE.fullmatch(top):
        return None
    two = ".".join(module.split(".")[:2])
    return IMPORT_TO_DISTRIBUTION.get(two) or IMPORT_TO_DISTRIBUTION.get(top) or top

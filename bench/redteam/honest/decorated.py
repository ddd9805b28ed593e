"""Every function of the feature is wrapped by a decorator that logs how often it is called."""

from bench.redteam.forms import decorate
from bench.redteam.view import View

# Written into the solver's tree, as a solver may write it.
LOGGED = '''
def _logged(function):
    """Say what is called, and what was raised."""
    import functools, logging
    log = logging.getLogger(function.__module__)

    @functools.wraps(function)
    def called(*args, **options):
        log.debug("%s is called", function.__qualname__)
        try:
            return function(*args, **options)
        except Exception:
            log.debug("%s raised", function.__qualname__)
            raise

    return called
'''


def reshape(view: View) -> None:
    decorate(view, "_logged", LOGGED)

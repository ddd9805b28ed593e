import gc
import weakref

from featuredel.pipeline import settle


class Thing:
    """Something that can be garbage."""


def test_garbage_goes_before_the_rest_is_passed_over() -> None:
    thing = Thing()
    vars(thing)["own"] = thing
    gone = weakref.ref(thing)
    settle()
    del thing
    assert gone() is not None
    settle()
    assert gone() is None
    assert gc.get_freeze_count()
    gc.unfreeze()

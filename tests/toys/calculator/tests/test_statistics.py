import pytest
from helpers import SAMPLE, close

from calculator import Summary, mean, median, quantile, spread


@pytest.fixture(scope="module")
def sample():
    return list(SAMPLE)


def test_mean(sample):
    assert close(mean(sample), 3.875)


def test_mean_of_nothing():
    with pytest.raises(ValueError, match="mean of nothing"):
        mean([])


def test_median(sample):
    assert median(sample) == 3.5


@pytest.mark.parametrize(("share", "value"), [(0, 1), (1, 9), (0.25, 1.75)])
def test_quantile(sample, share, value):
    assert close(quantile(sample, share), value)


def test_quantile_of_no_share(sample):
    with pytest.raises(ValueError, match="between 0 and 1"):
        quantile(sample, 2)


def test_spread():
    assert spread([1, 3]) == 1
    assert spread([2, 2, 2]) == 0


def test_spread_of_a_sample(sample):
    assert close(spread(sample), 2.125)


class TestSummary:
    @pytest.fixture(scope="class")
    def summary(self):
        return Summary.of(SAMPLE)

    def test_numbers(self, summary):
        assert (summary.count, summary.least, summary.most) == (8, 1, 9)

    def test_text(self, summary):
        assert str(summary) == "8 values from 1 to 9, middle 3.5"

    def test_of_nothing(self):
        with pytest.raises(ValueError, match="summary of nothing"):
            Summary.of([])

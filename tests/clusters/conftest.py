"""Settings for the tests of clusters."""

import pytest
from threadpoolctl import threadpool_limits


@pytest.fixture(autouse=True)
def one_blas_thread():
    """Keep the oracles' own BLAS from spinning on cores that other tests use."""
    with threadpool_limits(limits=1, user_api="blas"):
        yield

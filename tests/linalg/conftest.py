"""Settings for the tests of linear algebra."""

import pytest
from threadpoolctl import threadpool_limits


@pytest.fixture(autouse=True)
def one_blas_thread():
    """Limit BLAS to one thread, so that reference results do not slow down other tests."""
    with threadpool_limits(limits=1, user_api="blas"):
        yield

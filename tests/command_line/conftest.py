"""The binary under test, as a fixture."""

import pytest
from binary import Revealed


@pytest.fixture(scope="session")
def revealed():
    return Revealed()

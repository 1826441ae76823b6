"""Waits for what happens on other threads."""
import time


def wait(condition, seconds=20):
    """Whether a condition comes true within `seconds`."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.002)
    return True

"""Sends with the real Sentry client: sessions that go well and badly, handled errors, and a crash at the end.

usage: sentry_client.py DSN [plain]

Of twelve sessions seven are healthy, four errored, one crashed; four errors are handled, one is not.
"""

import sys

import sentry_sdk

sentry_sdk.init(
    dsn=sys.argv[1],
    release="com.example.shop@4.2.0+1234",
    environment="production",
    auto_session_tracking=False,
    _experiments={"transport_compression_level": 0} if "plain" in sys.argv else {},
)
sentry_sdk.set_user({"id": "someone"})
scope = sentry_sdk.get_isolation_scope()


def check_out(cart):
    raise ValueError(f"nothing in {cart}")


def session(mode, fails):
    scope.start_session(session_mode=mode)
    if fails:
        try:
            check_out(mode)
        except ValueError as error:
            sentry_sdk.capture_exception(error)
    scope.end_session()


for fails in (False, True, False, True, False):
    session("application", fails)
# These are sent as counts per minute.
for fails in (False, True, False, True, False, False):
    session("request", fails)

sentry_sdk.flush()
scope.start_session()
raise RuntimeError("the end")

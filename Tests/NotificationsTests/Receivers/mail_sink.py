"""A mail server of aiosmtpd that wants a login, and writes every mail to FOLDER as JSON.

mail_sink.py FOLDER starttls|tls|none [REFUSED_RECIPIENT]"""
import json
import os
import ssl
import sys
import time

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, AuthResult, LoginPassword

folder, encryption = sys.argv[1:3]
refused = sys.argv[3] if len(sys.argv) > 3 else None
context = None
if encryption != "none":
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder + "/cert.pem", folder + "/key.pem")


def put(name, text):
    with open(f"{folder}/{name}.new", "w") as file:
        file.write(text)
    os.rename(f"{folder}/{name}.new", f"{folder}/{name}")


def authenticate(server, session, envelope, mechanism, data):
    is_right = isinstance(data, LoginPassword) and data == LoginPassword(b"plumb", b"pass word")
    return AuthResult(success=is_right, handled=False)


class Handler:
    count = 0

    async def handle_RCPT(self, server, session, envelope, address, options):
        if address == refused:
            return "550 5.1.1 no such person here"
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server, session, envelope):
        put(f"mail-{self.count}.json", json.dumps({
            "from": envelope.mail_from, "to": envelope.rcpt_tos, "encrypted": session.ssl is not None
            or encryption == "tls", "login": bool(session.authenticated),
            "data": envelope.content.decode("latin-1")}))
        self.count += 1
        return "250 taken"


class Sink(Controller):
    def factory(self):
        if encryption == "starttls":
            return SMTP(self.handler, tls_context=context, require_starttls=True, auth_required=True,
                        authenticator=authenticate)
        if encryption == "tls":
            return SMTP(self.handler, auth_required=True, auth_require_tls=False, authenticator=authenticate)
        return SMTP(self.handler)


controller = Sink(Handler(), hostname="127.0.0.1", port=int(open(folder + "/wanted-port").read()),
                  ssl_context=context if encryption == "tls" else None)
controller.start()
put("ready", "")
while True:
    time.sleep(60)

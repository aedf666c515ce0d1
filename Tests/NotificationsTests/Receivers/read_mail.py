"""Reads a mail from standard input and prints what Python's own parser finds in it."""
import email
import email.policy
import json
import sys

mail = email.message_from_bytes(sys.stdin.buffer.read(), policy=email.policy.default)
leaves = [part for part in mail.walk() if not part.is_multipart()]
defects = [str(defect) for part in mail.walk() for defect in part.defects]
defects += [f"{name}: {defect}" for name, value in mail.items() for defect in value.defects]


def body(kind):
    return next((part.get_content() for part in leaves if part.get_content_type() == kind), None)


print(json.dumps({
    "headers": [[name, str(value)] for name, value in mail.items()],
    "parts": [part.get_content_type() for part in leaves],
    "plain": body("text/plain"), "html": body("text/html"), "defects": defects,
}))

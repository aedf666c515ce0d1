# What a fresh installation must do, for the scripts beside this one. They set: root (a Debian tree), plumb (a command that
# runs plumb as its user there), port.

# Waits until a command succeeds, for a minute.
wait_for() {
  for _ in $(seq 300); do
    if "$@" >/dev/null 2>&1; then return 0; fi
    sleep 0.2
  done
  echo "It did not come to pass: $*" >&2
  return 1
}

payload() {
  printf '{"app":{"bundle_id":"com.example.shop","version":"4.2.0"},"device":{"model":"iPhone15,2","os":"iOS 17.4"},"installation":"%s","sessions":[{"id":"%s","started":"%s","status":"exited"}]}' \
    "$1" "$1" "$(date -u +%Y-%m-%dT%H:%M:%SZ)"
}

# Sends a session of a user by the key of the app, both called ID: post_session KEY ID
post_session() {
  status=$(payload "$2" | curl -sS -o /dev/null -w '%{http_code}' "http://127.0.0.1:$port/v1/payloads" -H "Authorization: Bearer $1" --data-binary @-)
  [ "$status" = 202 ] || { echo "The payload got $status." >&2; return 1; }
}

# Sends a session and waits until it is counted: send_session KEY ID TOTAL
send_session() {
  post_session "$1" "$2"
  wait_for counted "$3"
}

counted() { $plumb report --app com.example.shop --format json | grep -q "\"total\":$1[,}]"; }

key_of() { $plumb app list --format json | sed -n 's/.*"key":"\([0-9a-f]\{32\}\)","dsn".*/\1/p'; }

# A Debian tree in $1, made once in .build and copied.
debian_tree() {
  base=.build/bookworm
  if [ ! -f "$base/complete" ]; then
    command -v debootstrap >/dev/null || deploy/install-packages debootstrap
    rm -rf "$base"
    debootstrap --variant=minbase bookworm "$base" "${DEBIAN_MIRROR:-http://deb.debian.org/debian}" >/dev/null
    touch "$base/complete"
  fi
  cp -a "$base/." "$1"
  rm -f "$1/complete"
  cp /etc/resolv.conf "$1/etc/resolv.conf"
  # No package starts a service in a chroot.
  printf '#!/bin/sh\nexit 101\n' > "$1/usr/sbin/policy-rc.d"
  chmod +x "$1/usr/sbin/policy-rc.d"
}

"""Signs in to a real `plumb serve` through oidc-provider-mock: see Tests/OpenID/run."""

import json, os, re, shutil, signal, socket, subprocess, sys, tempfile, time, urllib.parse
import httpx

PLUMB = sys.argv[1]
# The path below which Plumb is reached: "" or such as "/plumb".
BELOW = sys.argv[2] if len(sys.argv) > 2 else ""
PROVIDER = os.path.join(os.path.dirname(sys.executable), "oidc-provider-mock")
folder = tempfile.mkdtemp(prefix="plumb-openid-")
children, done = [], 0


def expect(what, condition, seen=""):
    global done
    if not condition:
        print(f"✘ {what}: {seen}")
        sys.exit(1)
    done += 1
    print(f"✔ {what}")


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def start(*words, log):
    out = open(os.path.join(folder, log), "w+")
    child = subprocess.Popen(words, stdout=out, stderr=out, cwd=folder, env={"PATH": "/usr/bin:/bin", "HOME": folder})
    children.append(child)
    return child, out.name


def run(*words, given=None):
    return subprocess.run(
        [PLUMB, *words, "--data", folder + "/data"], input=given, capture_output=True, text=True, cwd=folder,
        env={"PATH": "/usr/bin:/bin", "HOME": folder})


def wait(url):
    for _ in range(600):
        try:
            return httpx.get(url)
        except httpx.TransportError:
            time.sleep(0.05)
    raise SystemExit(f"{url} does not answer")


def person(sub, **claims):
    return ["--user-claims", json.dumps({"sub": sub, **claims})]


class Browser:
    """A client with cookies, which follows redirects only when it is told to."""

    def __init__(self):
        self.http = httpx.Client(headers={"Accept": "text/html", "User-Agent": "drill"})

    def begin(self, path="/login/oidc"):
        return self.http.get(base + path)

    def consent(self, address, sub):
        return self.http.post(address, data={"sub": sub})

    def sign_in(self, sub, path="/login/oidc"):
        began = self.begin(path)
        expect(f"{sub}: the button leads to the provider", began.status_code == 303, began.text)
        answer = self.consent(began.headers["Location"], sub)
        expect(f"{sub}: the provider sends back", answer.status_code == 302, answer.text)
        return self.http.get(answer.headers["Location"])


try:
    port, provider_port = free_port(), free_port()
    # Another site than Plumb's for a browser: localhost, not 127.0.0.1.
    issuer, base = f"http://localhost:{provider_port}", f"http://127.0.0.1:{port}{BELOW}"
    start(
        PROVIDER, "--port", str(provider_port), "--require-nonce", "true",
        *person("s1", email="ana@example.com", email_verified=True, groups=["staff", "shop"]),
        *person("s2", email="ben@example.com", email_verified=True, groups=["staff"]),
        *person("s3", email="eve@example.com", email_verified=True, groups=["guests"]),
        *person("s4", email="ana@example.com", email_verified=False, groups=["staff"]),
        *person("s5", email="root@example.com", email_verified=True, groups=["staff"]),
        *person("s6", email="boss@example.com", email_verified=True, groups=["boss"]),
        log="provider.log")
    wait(issuer + "/.well-known/openid-configuration")
    expect("an app", run("app", "add", "com.example.shop").returncode == 0)
    run("app", "add", "com.example.notes")
    added = run("user", "add", "root@example.com", given="a password of root\n")
    expect("a user with a password", added.returncode == 0 and "admin" in added.stdout, added.stderr)
    with open(folder + "/secret", "w") as file:
        file.write("not known to anybody\n")
    os.chmod(folder + "/secret", 0o600)
    with open(folder + "/plumb.yaml", "w") as file:
        file.write(f"""
login:
  oidc:
    issuer: {issuer}
    client-id: plumb
    client-secret: {{ file: {folder}/secret }}
    label: Sign in with Example
    allowed: {{ groups: [staff, boss] }}
    roles:
      - {{ group: shop, role: editor, apps: [com.example.shop] }}
      - {{ group: boss, role: admin }}
    default-role: none
""")
    server, log = start(
        PLUMB, "serve", "--listen", f"127.0.0.1:{port}", "--data", folder + "/data", "--public-url", base,
        "--config", folder + "/plumb.yaml", log="plumb.log")
    wait(base + "/healthz")

    ana = Browser()
    page = ana.http.get(base + "/login")
    expect("the login page shows the button and the form", "Sign in with Example" in page.text and "password" in page.text)
    away = ana.http.get(base + "/apps/com.example.shop?from=2026-11-01")
    expect("a page leads to the login, and back", "next=" in away.headers["Location"], away.headers)
    entered = ana.sign_in("s1", "/login/oidc?next=/apps/com.example.shop")
    expect("ana is signed in and led on", entered.status_code == 200 and "/apps/com.example.shop" in entered.text, entered.text)
    cookie = next(c for c in entered.headers.get_list("set-cookie") if c.startswith("plumb="))
    expect("the cookie of the login is Strict and hidden", "SameSite=Strict" in cookie and "HttpOnly" in cookie, cookie)
    expect("the cookie of the sign-in is gone", "plumb-sign-in" not in ana.http.cookies)
    expect("ana sees her app", ana.http.get(base + "/apps/com.example.shop").status_code == 200)
    expect("and no other", ana.http.get(base + "/apps/com.example.notes").status_code == 404)
    first = ana.http.get(base + "/")
    expect("not even its name", "com.example.notes" not in first.text and "com.example.shop" in first.text)
    expect("nor the audit log", ana.http.get(base + "/audit").status_code == 403)
    users = run("user", "list").stdout
    expect("she is in the list of users", "ana@example.com" in users and "editor of com.example.shop" in users, users)
    logins = run("user", "logins", "ana@example.com").stdout
    expect("with her login", "drill" in logins, logins)

    for sub, words in [("s2", "has no role"), ("s3", "may not sign in"), ("s4", "verified address"), ("s5", "another user")]:
        refused = Browser()
        answer = refused.sign_in(sub)
        expect(f"{sub} is refused: {words}", answer.status_code == 403 and words in answer.text, answer.text)
        expect(f"{sub} has no login", refused.http.get(base + "/").status_code == 303)

    boss = Browser()
    expect("an administrator by group", boss.sign_in("s6").status_code == 200)
    audit = boss.http.get(base + "/audit")
    expect("sees the audit log", audit.status_code == 200 and "user.add" in audit.text, audit.text)
    all_logins = boss.http.get(base + "/account/all").text
    login = re.search(r'name="user" value="ana@example.com"/><input type="hidden" name="login" value="([0-9a-f]{12})"', all_logins)
    expect("and all logins", login is not None, all_logins)
    ended = boss.http.post(
        base + "/account/end-login", data={"user": "ana@example.com", "login": login[1]}, headers={"Origin": base.removesuffix(BELOW)})
    expect("and ends one", ended.status_code == 303 and ana.http.get(base + "/").status_code == 303)

    # What somebody else's browser brings.
    victim, thief = Browser(), Browser()
    location = thief.consent(thief.begin().headers["Location"], "s6").headers["Location"]
    for what, answer in [
        ("a link with somebody else's code", victim.http.get(location)),
        ("without state", thief.http.get(re.sub(r"[&?]state=[^&]*", "", location))),
        ("with another state", thief.http.get(re.sub(r"state=[^&]*", "state=x", location))),
        ("without code", thief.http.get(re.sub(r"code=[^&]*&?", "", location))),
    ]:
        expect(f"{what} is refused", answer.status_code == 400, answer.status_code)
        expect("and signs nobody in", not any(c.startswith("plumb=") and "Max-Age=0" not in c for c in answer.headers.get_list("set-cookie")))
    fresh = Browser()
    location = fresh.consent(fresh.begin().headers["Location"], "s6").headers["Location"]
    keep = dict(fresh.http.cookies)
    expect("a code works", fresh.http.get(location).status_code == 200)
    fresh.http.cookies.update(keep)
    expect("once", fresh.http.get(location).status_code == 502)
    for path in ["//evil.example", "https://evil.example", "/\\evil.example"]:
        entered = Browser().sign_in("s6", "/login/oidc?next=" + urllib.parse.quote(path, safe=""))
        expect(f"next={path} leads nowhere else", "evil" not in entered.text, entered.text)

    chromium = shutil.which("chromium")
    if chromium:
        from playwright.sync_api import sync_playwright

        with sync_playwright() as play:
            browser = play.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
            tab = browser.new_page()
            problems = []
            # The provider's own pages are not looked at.
            tab.on(
                "console",
                lambda m: problems.append(m.text) if m.type == "error" and m.location["url"].startswith(base) else None)
            tab.goto(base + "/apps/com.example.shop")
            tab.get_by_text("Sign in with Example").click()
            tab.locator("text=s6").first.click()
            tab.wait_for_url(base + "/apps/com.example.shop")
            expect("in Chromium, from another site, the login holds on the page behind", "com.example.shop" in tab.content())
            tab.get_by_text("Account").click()
            expect("the account shows the login", "this login" in tab.content(), tab.content())
            expect("without an error in the console", not problems, problems)
            browser.close()
    else:
        print("There is no chromium: the browser's part is skipped.")

    text = open(log).read()
    expect("the log holds no secret, code or token", not re.search(r"not known to anybody|eyJ|code=", text), text)
    children[0].terminate()
    children[0].wait()
    time.sleep(0)
    down = Browser().begin("/login/oidc")
    expect("what was read stays valid while the provider is down", down.status_code == 303, down.text)
    print(f"{done} expectations hold.")
finally:
    for child in children:
        if child.poll() is None:
            child.send_signal(signal.SIGTERM)
    for child in children:
        child.wait()
    shutil.rmtree(folder, ignore_errors=True)

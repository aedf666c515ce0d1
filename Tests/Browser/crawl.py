#!/usr/bin/env python3
"""Looks at every page of a running dashboard with Chromium, as people and their tools do.

    Tests/Browser/crawl.py http://127.0.0.1:8080 [FOLDER]

Every page that can be reached over links is opened. It must answer 200, log nothing to the console, ask nobody else for
anything, weigh less than 150 KB, move nothing while it loads, fit 320 and 2,560 pixels, and give axe-core nothing to
complain about, in light and dark. Data behind links must be there. Filters must stay while one moves between pages.
Of a kind of which there are many, ten are looked at with everything, and the others
must open. Screenshots of each kind of page are kept in FOLDER. The exit status says whether anything was wrong.
"""
import gzip
import os
import re
import sys
from urllib.parse import urljoin, urlsplit, parse_qs

from playwright.sync_api import sync_playwright

try:
    from axe_playwright_python.sync_playwright import Axe
except ImportError:
    Axe = None

WEIGHT = 150_000
# Of the page itself, as gzip.
DOCUMENT = 60_000
MOST_PAGES = 400
# A flame graph has a page for every call in it.
MOST_ZOOMED = 4
# Of pages of one kind, so many are looked at with everything; of the others, that they open.
MOST_OF_A_KIND = 10
SHIFT = """() => new Promise(done => {
  let sum = 0;
  new PerformanceObserver(list => { for (const entry of list.getEntries()) sum += entry.value; })
    .observe({type: 'layout-shift', buffered: true});
  requestAnimationFrame(() => setTimeout(() => done(sum), 50));
})"""

faults = []


def fault(page, text):
    faults.append(f"{page}: {text}")
    print(f"FAULT {page}: {text}", flush=True)


def kind(path):
    """The address with what differs between apps, metrics and releases left out: one screenshot of each kind."""
    parts = urlsplit(path).path.strip("/").split("/")
    if len(parts) > 3:
        parts[3] = "x"
    if parts[0] == "guides" and len(parts) > 1:
        parts[1] = "x"
    if parts[0] == "apps":
        parts = parts[:1] + parts[2:]
    name = "-".join(p for p in parts if p) or "overview"
    return name + ("-two" if "base=" in path else "")


class Visit:
    """One browser window of one size and colour scheme."""

    def __init__(self, browser, base, width, scheme):
        self.base = base
        self.context = browser.new_context(viewport={"width": width, "height": 1000}, color_scheme=scheme)
        self.page = self.context.new_page()
        self.requests = []
        self.path = ""
        self.page.on("console", lambda m: m.type in ("error", "warning") and fault(self.path, f"console: {m.text}"))
        self.page.on("pageerror", lambda e: fault(self.path, f"script: {e}"))
        self.page.on("request", self.check_request)

    def check_request(self, request):
        self.requests.append(request)
        if not request.url.startswith(self.base):
            fault(self.path, f"asks {request.url}")

    def weight(self):
        """Of what this page asked for: an answer to the page before may come late."""
        return sum(len(answer.body()) for answer in (request.response() for request in self.requests) if answer)

    def open(self, path):
        self.path, self.requests = path, []
        answer = self.page.goto(self.base + path)
        if answer.status != 200:
            fault(path, f"status {answer.status}")
        return answer

    def fits(self):
        width, room = self.page.evaluate("[document.documentElement.scrollWidth, document.documentElement.clientWidth]")
        if width > room:
            fault(self.path, f"{width} pixels wide where {room} are")


def links(visit):
    found = visit.page.eval_on_selector_all("a[href]", "all => all.map(a => a.getAttribute('href'))")
    return [urljoin(visit.path, link).split("#")[0] for link in found]


def examine(visit, axe):
    """Its weight, whether it stays where it is, whether it fits, and what axe-core says."""
    if (weight := visit.weight()) > WEIGHT:
        fault(visit.path, f"weighs {weight} bytes")
    if (weight := len(gzip.compress(visit.page.content().encode()))) > DOCUMENT:
        fault(visit.path, f"weighs {weight} bytes as gzip")
    if (shift := visit.page.evaluate(SHIFT)) > 0:
        fault(visit.path, f"layout shift {shift}")
    visit.fits()
    if axe:
        complain(axe, visit)


def crawl(browser, base, folder):
    visit = Visit(browser, base, 1280, "light")
    axe = Axe() if Axe else None
    waiting, seen, data, kinds, looked = ["/"], {"/"}, set(), {}, {}
    while waiting and len(seen) < MOST_PAGES:
        path = waiting.pop(0)
        visit.open(path)
        looked[kind(path)] = looked.get(kind(path), 0) + 1
        if looked[kind(path)] <= MOST_OF_A_KIND:
            examine(visit, axe)
        kinds.setdefault(kind(path), path)
        for link in links(visit):
            if link.startswith("/api/"):
                data.add(link)
            elif "focus=" in link and sum("focus=" in other for other in seen) >= MOST_ZOOMED:
                continue
            elif link.startswith("/") and link not in seen and not is_filtered(link):
                seen.add(link)
                waiting.append(link)
    print(f"{len(seen)} pages, {len(data)} links to data, {len(kinds)} kinds", flush=True)
    for link in sorted(data):
        answer = visit.context.request.get(base + link)
        if answer.status != 200:
            fault(link, f"status {answer.status}")
    for width, scheme in [(320, "light"), (320, "dark"), (1280, "light"), (1280, "dark"), (2560, "light")]:
        look(browser, base, width, scheme, kinds, folder, axe)
    return kinds


def is_filtered(link):
    """Links that set filters lead to the same pages."""
    return any(name in parse_qs(urlsplit(link).query) for name in ("from", "environment", "os", "device", "device_class"))


def complain(axe, visit):
    for violation in axe.run(visit.page).response["violations"]:
        nodes = "; ".join(node["html"][:120] for node in violation["nodes"][:2])
        fault(visit.path, f"axe {violation['id']}: {nodes}")


def look(browser, base, width, scheme, kinds, folder, axe):
    visit = Visit(browser, base, width, scheme)
    for name, path in kinds.items():
        visit.open(path)
        visit.fits()
        if axe and scheme == "dark":
            complain(axe, visit)
        visit.page.screenshot(path=os.path.join(folder, f"{name}-{width}-{scheme}.png"), full_page=True)


def check_filters(browser, base, app):
    """A release is chosen in its chip without a script, stays on the next pages, and is cleared again."""
    visit = Visit(browser, base, 1280, "light")
    visit.open(app)
    page = visit.page
    chip = page.locator(".chip", has=page.locator("summary", has_text="Release:"))
    chip.locator("summary").click()
    link = chip.locator("a[href*='release=']").nth(1)
    release = parse_qs(urlsplit(link.get_attribute("href")).query)["release"]
    link.click()
    if parse_qs(urlsplit(page.url).query).get("release") != release:
        fault(app, f"the chip did not ask for {release}: {page.url}")
    for title in ["Sessions", "Crashes and hangs", "Budgets"]:
        page.click(f"nav.pages >> text={title}")
        if parse_qs(urlsplit(page.url).query).get("release") != release:
            fault(app, f"the filter is lost on {title}: {page.url}")
    page.locator(".chip", has=page.locator("summary", has_text="Days:")).locator("summary").click()
    if not all(page.eval_on_selector_all(".chip input[type=date]", "all => all.map(i => i.value)")):
        fault(app, "a date is empty")
    page.click("text=Clear filters")
    if "release=" in page.url:
        fault(app, "the filter cannot be cleared")


def check_keyboard(browser, base, app):
    """The first stop is the way past the header, and every stop can be seen."""
    visit = Visit(browser, base, 1280, "light")
    visit.open(app)
    page = visit.page
    page.keyboard.press("Tab")
    if page.evaluate("document.activeElement.className") != "skip":
        fault(app, "the first stop is not the skip link")
    for _ in range(25):
        page.keyboard.press("Tab")
        outline = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
        if outline == "none":
            fault(app, "a stop cannot be seen: " + page.evaluate("document.activeElement.outerHTML.slice(0, 100)"))


def main():
    base = sys.argv[1].rstrip("/")
    folder = sys.argv[2] if len(sys.argv) > 2 else "screenshots"
    os.makedirs(folder, exist_ok=True)
    if not Axe:
        print("axe-playwright-python is not installed: accessibility is not looked at")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=os.environ.get("CHROMIUM", "/usr/bin/chromium"), args=["--no-sandbox"])
        kinds = crawl(browser, base, folder)
        app = next((path for path in kinds.values() if re.fullmatch("/apps/[^/?]+", path)), None)
        if app:
            check_filters(browser, base, app)
            check_keyboard(browser, base, app)
        browser.close()
    print(f"{len(faults)} faults; screenshots in {folder}")
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()

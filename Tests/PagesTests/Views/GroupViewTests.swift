import Foundation
import Testing

@testable import Analysis
@testable import Core
@testable import Ingest
@testable import Storage
@testable import Web

@Suite("The pages of groups")
struct GroupViewTests {
  private static let address = "/apps/com.example.shop/groups"

  private func list(_ list: GroupList = Fleet.groupList(), _ context: PageContext = PageContext()) throws -> Element {
    try HTMLPage.parse(GroupsView.render(list, context))
  }

  private func page(
    _ model: GroupDetail = Fleet.groupPage(), focus: String? = nil, _ context: PageContext = PageContext()
  ) throws -> Element { try HTMLPage.parse(GroupView.render(model, focus: focus, context)) }

  @Test("groups are counted, and those that need action are open")
  func sentence() throws {
    // A new one and one that came back; the others are resolved and ignored.
    #expect(try list().one("p.summary").text == "68 crash reports in 4 groups. 2 of them are open.")
    var groups = Fleet.groupList()
    groups.total = 900
    groups.groups = [groups.groups[0]]
    #expect(
      try list(groups).one("p.summary").text
        == "68 crash reports in 900 groups. The largest 1 are shown. 1 of them is open.")
    groups.total = 0
    groups.groups = []
    #expect(try list(groups).one("p.summary").text == "No crash reports in this period.")
    groups.kinds = []
    let empty = try list(groups)
    #expect(
      try empty.one("p.summary").text == "No crashes, hangs or other diagnostics in this period."
        && !empty.has("table"))
  }

  @Test("a group's row has its cause, count, share of the stated denominator, rate, users and times")
  func rows() throws {
    let table = try list().table("Those that became worse")
    #expect(
      table.columns == [
        "Group", "Sessions affected", "Share of 1,987 sessions", "Per 1,000 sessions of 4.3.0", "Users affected",
        "Beyond 4.2.0, in 4.3.0", "Introduced in", "Last seen", "Trend",
      ])
    #expect(
      table.rows[0].texts == [
        "EXC_BAD_ACCESS in CartViewController.checkout() Owner: Ana · Only with an empty cart. Fix is in review.", "17",
        "0.86 % 0.77–0.86 %", "12.0 5.5–22.5", "15", "+12 users +1,248 at full adoption", "4.2.0 (1234) 2026-11-18",
        "2026-11-20", "",
      ])
    // A report whose session is not named is no session.
    #expect(table.column("Per 1,000 sessions of 4.3.0") == ["12.0 5.5–22.5", "4.00 reports", "–", "–"])
    let badges = table.rows.map { $0.element.all("th .badge").first }
    #expect(badges.map { $0?.text } == [nil, "regressed in 4.2.0", "resolved in 4.2.1", "ignored"])
    #expect(badges.map { $0?["class"] } == [nil, "badge broken", "badge within", "badge"])
    #expect(
      table.rows.map { $0.element.links("th a") } == Fleet.groupList().groups.map { ["\(Self.address)/\($0.id)"] })
    #expect(table.rows.allSatisfy { $0.element.has("svg.spark") })
    let hangs = try list(Fleet.groupList(kind: .hang)).table("Those that became worse")
    #expect(
      Array(hangs.columns[1...3]) == ["Reports", "Share of 17 hang reports", "Reports per 1,000 sessions of 4.3.0"])
    #expect(hangs.column("Reports per 1,000 sessions of 4.3.0") == ["4.00"])
  }

  @Test("long names break after punctuation and never lose a letter")
  func codeNames() throws {
    let name = try #require(
      try list().table("Those that became worse").rows[0].element.all("th a bdi").first)
    #expect(name.all("wbr").count == 3 && name.text == "EXC_BAD_ACCESS in CartViewController.checkout()")
  }

  @Test("a group is new if first seen in the last quarter of the window")
  func new() throws {
    var groups = Fleet.groupList()
    groups.window = Fleet.window
    groups.groups = [-7, -6].map { back in
      var group = groups.groups[0]
      group.firstSeen = Fleet.lastDay + back
      return group
    }
    #expect(
      try list(groups).table("Those that became worse").rows.map { $0.element.has(".badge") } == [
        false, true,
      ])
  }

  @Test("existing kinds are tabs with their number of groups, on a server and as files")
  func kinds() throws {
    let page = try list(Fleet.groupList(kind: .hang))
    let tabs = try page.one("nav.tabs")
    #expect(tabs.texts("a") == ["Crashes 4", "Hangs 1"])
    #expect(tabs.all("a").map { $0["aria-current"] } == [nil, "page"])
    #expect(tabs.links() == ["crash", "hang"].map { Self.address + "?kind=" + $0 })
    #expect(page.links("p.data a").contains("/apps/com.example.shop/diagnostics"))
    let file = try list(Fleet.groupList(), PageContext(linkStyle: .files))
    #expect(
      try file.one("nav.tabs").links()
        == ["crash", "hang"].map { "../../../apps/com.example.shop/groups/\($0).html" })
  }

  @Test("a group shows its share of all sessions, its impact, and the releases in which it was seen")
  func group() throws {
    let page = try self.page()
    #expect(try page.one("h1").text == "EXC_BAD_ACCESS in CartViewController.checkout()")
    #expect(page.texts("header nav li") == ["Apps", "com.example.shop", "Crashes and hangs", "3f2a9c01d4e5b678"])
    #expect(
      try page.one("p.summary").text
        == "17 reports in this period: 0.86 % (0.77–0.86 %) of 1,987 sessions. Its code is not symbolicated yet. "
        + "Upload the build’s symbols to merge groups with the same cause.")
    #expect(
      try page.section("Impact").facts == [
        "Kind": "Crash", "Sessions affected": "17", "Users affected": "15, 7.0 % (6.3–7.0 %) of all users",
        "Beyond 4.2.0, in 4.3.0": "+12 users (+3 to +21)", "At full adoption": "+1,248 users in 4 days",
        "First seen": "2026-11-18", "Last seen": "2026-11-20", "Introduced in": "4.2.0 (1234)", "Trend": "",
      ])
    #expect(
      try page.section("Releases").table().rows.map(\.texts) == [
        ["4.2.0 (2) regressed", "2026-11-17", "2026-11-20", "15"],
        ["4.1.0 (1) introduced", "2026-11-11", "2026-11-16", "2"],
      ])
    // 12 and 5 of 17.
    #expect(
      try page.section("By OS version").table().rows.map(\.texts) == [
        ["iOS 26.1", "12", "▲ 70.6 %", "31.0 %"], ["iOS 18.6.2", "5", "29.4 %", "42.0 %"],
      ])
    #expect(
      try page.section("By device").table().rows.map(\.texts) == [["iPhone 14 Pro iPhone15,2", "17", "100 %", "–"]])
    let cause = try #require(try page.section("Where").table().rows.first)
    #expect(cause.texts == ["iOS 26.1", "5.30 times (1.90–15.0)", "31.0 %", "70.6 %", "57 % (33–66 %)"])
    #expect(cause.element.links("a").first?.contains("os=iOS%2026.1") == true)
    #expect(
      try page.section("Rate by release").table().rows.map(\.texts) == [
        ["4.3.0 (3)", "12.0 5.5–22.5", "6", "500"], ["4.2.0 (2)", "0.00 0.00–0.60", "0", "6,000"],
      ])
    #expect(try page.section("Full samples").table().rows.count == 4)
  }

  @Test("parts of a group beyond twelve are counted together")
  func manyParts() throws {
    var model = Fleet.groupPage()
    model.devices = (1...14).map { .init(name: "model \($0)", diagnostics: 10) }
    let table = try page(model).section("By device").table()
    #expect(table.rows.count == 13 && table.rows.last?.texts == ["2 others", "20", "14.3 %", "–"])
  }

  @Test("the crashed thread is first and open, the app's code stands out, and all can be copied")
  func threads() throws {
    let section = try page().section("Threads")
    let threads = section.all("details.thread")
    #expect(threads.map { $0.texts("summary") } == [["Thread 3 (crashed)"], ["Thread 0"]])
    #expect(threads.map { $0["open"] } == ["", nil])
    #expect(
      threads[0].all("li").map { [$0["class"], $0.text] } == [
        ["own", "Cart.checkout() Shop Cart.swift:42"], [nil, "UIKitCore + 0x40 Shop Cart.swift:42"],
      ])
    #expect(threads[1].texts("p.meta") == ["12 more frames."])
    #expect(
      try section.one("pre.copy").text
        == "Thread 3 (crashed): 0 Shop Cart.checkout() (Cart.swift:42) 1 Shop UIKitCore + 0x40 (Cart.swift:42) "
        + "Thread 0: 0 Shop main (Cart.swift:42)")
  }

  @Test("a group is resolved by a form if a user is logged in, or else by a command, and a closed one is reopened")
  func decisions() throws {
    let signedIn = PageContext(isSignedIn: true, canEdit: true)
    let form = try page(Fleet.groupPage(), signedIn).one("form.decide")
    #expect(try page(Fleet.groupPage(), signedIn).one("form.noting")["action"] == form["action"])
    #expect(form["action"] == Self.address + "/3f2a9c01d4e5b678" && form["method"] == "post")
    #expect(try form.one("label").text == "Fixed in release" && form.one("input")["required"] == "")
    #expect(
      form.all("button").map { [$0.text, $0["name"], $0["value"]] } == [
        ["Resolve", "state", "resolved"], ["Ignore", "state", "ignored"],
      ])
    #expect(form.all("button").map { $0["formnovalidate"] } == [nil, ""])
    let commands = try page().section("Impact")
    #expect(!commands.has("form"))
    #expect(
      try commands.one("pre").text
        == "plumb groups resolve 3f2a9c01d4e5b678 --app com.example.shop --in RELEASE plumb groups ignore 3f2a9c01d4e5b678 "
        + "--app com.example.shop")
    var model = Fleet.groupPage()
    model.group.status = .resolved(release: "4.2.1")
    let resolved = try page(model, signedIn).one("form.decide")
    #expect(resolved.texts("button") == ["Reopen"] && !resolved.has("input"))
    #expect(
      try page(model).section("Impact").one("pre").text
        == "plumb groups reopen 3f2a9c01d4e5b678 --app com.example.shop")
  }

  private func page(_ model: GroupDetail, _ context: PageContext) throws -> Element {
    try page(model, focus: nil, context)
  }

  @Test("boxes of a flame graph are as wide as their samples, with callers above callees and the hottest path marked")
  func flame() throws {
    let section = try page(Fleet.groupPage(hang: true)).section("Where the time goes")
    #expect(
      section.texts("p.meta").first
        == "100 samples from 1 diagnostic. Callers are above the functions they call; the width shows the share of "
        + "samples. The hottest path is highlighted. Select a function to zoom in.")
    let boxes = section.all("svg.flame a")
    let found = Dictionary(
      uniqueKeysWithValues: boxes.map { box -> (String, [String?]) in
        let rect = box.all("rect").first
        return (box.texts("text").first ?? "", [box.all("g").first?["class"], rect?["x"], rect?["y"], rect?["width"]])
      })
    // 100 samples are 1,200 wide: 12 each, a gap of 1 between neighbours; rows are 22 high.
    #expect(
      found == [
        "main": ["heavy own", "0", "0", "1199"], "FeedViewController.reload()": ["heavy own", "0", "22", "959"],
        "FeedParser.parse(data:)": ["heavy own", "0", "44", "839"], "Theme.resolve()": ["own", "960", "22", "179"],
        "libsystem_kernel.dylib + 0x40": ["heavy other", "0", "66", "359"],
      ])
    let page = try page(Fleet.groupPage(hang: true))
    // The impact stands first, then the code.
    #expect(page.texts("h2").first == "Impact" && page.texts("h2").contains("Hottest path"))
    let path = try page.section("Hottest path").table("From the outermost function inwards")
    #expect(path.rows.map { $0.element["class"] } == ["own", "own", "own", nil])
    #expect(
      path.rows.map(\.texts) == [
        ["main", "Shop", "100", "100 %"], ["FeedViewController.reload()", "Shop", "80", "80.0 %"],
        ["FeedParser.parse(data:)", "Shop", "70", "70.0 %"],
        ["libsystem_kernel.dylib + 0x40", "libsystem_kernel.dylib", "30", "30.0 %"],
      ])
  }

  @Test("a selected function is as wide as the page, below the path to it")
  func focus() throws {
    let model = Fleet.groupPage(hang: true)
    let node = try #require(model.flame?.nodes.first { $0.name == "FeedViewController.reload()" })
    let section = try page(model, focus: node.id).section("Where the time goes")
    #expect(section.all("p.meta")[1].text == "The whole graph › main › FeedViewController.reload()")
    #expect(section.all("p.meta")[1].links().first == Self.address + "/0123456789abcdef")
    let box = try #require(section.all("svg.flame a").first { $0.texts("text") == ["FeedViewController.reload()"] })
    #expect(box["href"] == Self.address + "/0123456789abcdef?focus=\(node.id)")
    #expect(try box.one("rect")["width"] == "1199")
    #expect(!section.texts("svg.flame text").contains("main"))
  }

  @Test("a flame graph that is too deep links to the rest; as a file it is complete, without links")
  func deepFlame() throws {
    var tree = CallTree(binaries: [.init(name: "Shop", uuid: "")])
    for level in 0..<200 {
      tree.frames.append(
        .init(caller: level - 1, binary: 0, samples: 7, symbol: .init(function: "level\(level)()")))
    }
    tree.threads = [.init(range: tree.frames.indices, isAttributed: true)]
    let flame = FlameGraph([tree], NoSymbols())
    var model = Fleet.groupPage(hang: true)
    model.flame = flame
    let served = try page(model).section("Where the time goes")
    #expect(served.texts("svg.flame text").count == 80)
    let deeper = try #require(served.all("p.meta").last)
    #expect(deeper.text == "120 more levels are not shown: continue from level79().")
    let next = try #require(flame.nodes.first { $0.name == "level79()" })
    #expect(deeper.links() == [Self.address + "/0123456789abcdef?focus=\(next.id)"])
    let zoomed = try page(model, focus: next.id).section("Where the time goes")
    #expect(zoomed.texts("p.meta").last?.hasPrefix("41 more levels are not shown") == true)
    #expect(zoomed.texts("svg.flame text").contains("level158()"))
    let file = try page(model, PageContext(linkStyle: .files)).section("Where the time goes")
    #expect(file.texts("svg.flame text").count == 200 && !file.has("svg.flame a") && file.all("p.meta").count == 1)
  }

  @Test("system code has its offset in a flame graph if all samples are of one version of it")
  func systemOffsets() {
    func tree(_ uuid: String, _ offset: UInt64) -> CallTree {
      CallTree(
        binaries: [.init(name: "UIKitCore", uuid: uuid)],
        frames: [
          .init(caller: -1, binary: 0, offset: offset, samples: 3), .init(caller: 0, binary: 0, offset: 9, samples: 3),
        ], threads: [.init(range: 0..<2, isAttributed: true)])
    }
    let one = FlameGraph([tree("A", 64), tree("A", 64)], NoSymbols())
    #expect(one.nodes.map(\.name) == ["UIKitCore + 0x40", "UIKitCore + 0x9"] && one.samples == 6)
    let two = FlameGraph([tree("A", 64), tree("B", 80)], NoSymbols())
    #expect(two.nodes.map(\.name) == ["UIKitCore"] && two.samples == 6)
  }

  @Test("a note has its owner and author; editors change it in a form that keeps every letter, others by a command")
  func notes() throws {
    var model = Fleet.groupPage()
    model.group.note = Fleet.note("a\n<b> \"c\"")
    let section = try page(model).section("Note")
    #expect(
      section.texts("p.written") == ["xa <b> \"c\""] && section.texts("pre").first?.contains("groups note") == true)
    #expect(!section.has("form"))
    let form = try page(model, PageContext(isSignedIn: true, canEdit: true)).one("form.noting")
    #expect(try form.one("input")["value"] == "xa\n<b> \"c\"" && form.one("input")["maxlength"] == "100")
    #expect(try form.one("textarea").text == "xa <b> \"c\"" && form.one("textarea")["maxlength"] == "2000")
    #expect(try page(model).section("Impact").facts["Owner"] == "xa <b> \"c\"")
  }

  @Test("the tracker's link has the group's title, page and release, percent-encoded")
  func ticket() throws {
    let hostile = "x&y=1#\"><script>\u{202E}\n/../{url} ü"
    var model = Fleet.groupPage()
    model.group.title = hostile
    model.releases[1].release = "4.2.0 (2)&z"
    model.ticket = try TicketTemplate("https://t.example.com/new?t={title}&u={url}&r={release}&s={signature}&k={kind}")
    let link = try #require(
      try page(model, PageContext(serverURL: "https://plumb.example.com/p")).all("a.button").first)
    #expect(link.text == "New ticket" && link["rel"] == "noopener noreferrer")
    let fields = try #require(link["href"]).split(separator: "?", maxSplits: 1).last?.split(separator: "&") ?? []
    let values = fields.map { String($0.split(separator: "=", maxSplits: 1).last ?? "") }
    #expect(
      fields.count == 5 && values.allSatisfy { $0.allSatisfy { $0.isLetter || $0.isNumber || "-._~%".contains($0) } })
    #expect(
      values.map { $0.removingPercentEncoding } == [
        "x&y=1#\"><script>\u{FFFD} /../{url} ü",
        "https://plumb.example.com/p/apps/com.example.shop/groups/3f2a9c01d4e5b678", "4.2.0 (2)&z", "3f2a9c01d4e5b678",
        "crash",
      ])
    model.ticket = try TicketTemplate("https://t.example.com/find/{signature}")
    #expect(try page(model).all("a.button").map(\.text) == ["Open in tracker"])
    model.ticket = nil
    #expect(try !page(model).has("a.button"))
  }
}

import Health
import Issues
import Pages
import Storage
import Telemetry
import Testing

@Suite("The pages of causes")
struct GroupViewTests {
  private static let address = "/apps/com.example.shop/groups"

  private func list(_ list: GroupList = Fleet.groupList(), _ context: PageContext = PageContext()) throws -> Element {
    try HTMLPage.parse(GroupsView.render(list, context))
  }

  private func page(
    _ model: GroupDetail = Fleet.groupPage(), focus: String? = nil, _ context: PageContext = PageContext()
  ) throws -> Element { try HTMLPage.parse(GroupView.render(model, focus: focus, context)) }

  @Test("groups are counted, and those with something to do are open")
  func sentence() throws {
    // A new one and one that came back; the others are resolved and ignored.
    #expect(try list().one("p.summary").text == "68 diagnostics in 4 groups. 2 of them are open.")
    var groups = Fleet.groupList()
    groups.total = 900
    groups.groups = [groups.groups[0]]
    #expect(
      try list(groups).one("p.summary").text
        == "68 diagnostics in 900 groups. The largest 1 are shown. 1 of them is open.")
    groups.total = 0
    groups.groups = []
    let empty = try list(groups)
    #expect(
      try empty.one("p.summary").text == "No crash, hang or other diagnostic in these days." && !empty.has("table"))
  }

  @Test("a row has the cause, how many, the share with its basis, the users, and when")
  func rows() throws {
    let table = try list().table("Groups with the most diagnostics first")
    #expect(
      table.columns == [
        "Group", "Kind", "Diagnostics", "Share", "Users", "Introduced in", "First seen", "Last seen", "Trend",
      ])
    #expect(
      table.rows[0].texts == [
        "EXC_BAD_ACCESS in CartViewController.checkout()", "Crash", "17", "0.86 % 0.77–0.86 %", "15",
        "4.2.0 (1234)", "2026-11-18", "2026-11-20", "",
      ])
    #expect(table.column("Kind") == ["Crash", "Hang", "Crash", "Error"])
    // Clients name the sessions of crashes only.
    #expect(table.column("Share").map { $0.hasSuffix(" of diagnostics") } == [false, true, false, true])
    let badges = table.rows.map { $0.element.all("th .badge").first }
    #expect(badges.map { $0?.text } == [nil, "regressed in 4.2.0", "resolved in 4.2.1", "ignored"])
    #expect(badges.map { $0?["class"] } == [nil, "badge broken", "badge within", "badge"])
    #expect(
      table.rows.map { $0.element.links("th a") } == Fleet.groupList().groups.map { ["\(Self.address)/\($0.id)"] })
    #expect(table.rows.allSatisfy { $0.element.has("svg.spark") })
  }

  @Test("a group is new in the last quarter of the window")
  func new() throws {
    var groups = Fleet.groupList()
    groups.window = Fleet.window
    groups.groups = [-7, -6].map { back in
      var group = groups.groups[0]
      group.firstSeen = Fleet.lastDay + back
      return group
    }
    #expect(try list(groups).table("Groups").rows.map { $0.element.has(".badge") } == [false, true])
  }

  @Test("kinds are chosen by links, the chosen one is marked; a file has none")
  func kinds() throws {
    var groups = Fleet.groupList()
    groups.kind = .hang
    let page = try list(groups)
    let links = page.all("ul.slice").last?.all("a") ?? []
    #expect(
      links.map(\.text) == [
        "All kinds", "Crash", "Hang", "CPU exception", "Disk-write exception", "Slow launch", "Memory exception",
        "Error",
        "Every diagnostic, one by one",
      ])
    #expect(links.map { $0["aria-current"] }.firstIndex(of: "true") == 2)
    #expect(links[0]["href"] == Self.address && links[2]["href"] == Self.address + "?kind=hang")
    #expect(links.last?["href"] == "/apps/com.example.shop/diagnostics")
    let file = try list(Fleet.groupList(), PageContext(linkStyle: .files))
    #expect(file.all("ul.slice").last?.texts("a") == ["Every diagnostic, one by one"])
  }

  @Test("a group says how much of all sessions it is, whom it hits, and in which releases it was seen")
  func group() throws {
    let page = try self.page()
    #expect(try page.one("h1").text == "EXC_BAD_ACCESS in CartViewController.checkout()")
    #expect(page.texts("header nav li") == ["Apps", "com.example.shop", "Crashes and hangs", "3f2a9c01d4e5b678"])
    #expect(
      try page.one("p.summary").text
        == "17 diagnostics in these days: 0.86 % (0.77–0.86 %) of 1,987 sessions. Its code has no names yet: upload the "
        + "symbols of the build, and groups of one cause become one.")
    #expect(
      try page.section("What it hits").facts == [
        "Kind": "Crash", "Sessions": "17", "Users": "15, 7.0 % (6.3–7.0 %) of all", "First seen": "2026-11-18",
        "Last seen": "2026-11-20", "Introduced in": "4.2.0 (1234)", "Trend": "",
      ])
    #expect(
      try page.section("Releases").table().rows.map(\.texts) == [
        ["4.2.0 (2) regressed", "2026-11-17", "2026-11-20", "15"],
        ["4.1.0 (1) introduced", "2026-11-11", "2026-11-16", "2"],
      ])
    // 12 and 5 of 17.
    #expect(
      try page.section("By system").table().rows.map(\.texts) == [
        ["iOS 26.1", "12", "70.6 %"], ["iOS 18.6.2", "5", "29.4 %"],
      ])
    #expect(try page.section("By device").table().rows.map(\.texts) == [["iPhone15,2", "17", "100 %"]])
    #expect(try page.section("Samples").table().rows.count == 4)
  }

  @Test("beyond twelve parts the others are counted together")
  func manyParts() throws {
    var model = Fleet.groupPage()
    model.devices = (1...14).map { .init(name: "model \($0)", diagnostics: 10) }
    let table = try page(model).section("By device").table()
    #expect(table.rows.count == 13 && table.rows.last?.texts == ["2 others", "20", "14.3 %"])
  }

  @Test("the thread that crashed stands first and open, the app's own code stands out, and all can be copied")
  func threads() throws {
    let section = try page().section("Threads")
    let threads = section.all("details.thread")
    #expect(threads.map { $0.texts("summary") } == [["Thread 3, which crashed"], ["Thread 0"]])
    #expect(threads.map { $0["open"] } == ["", nil])
    #expect(
      threads[0].all("li").map { [$0["class"], $0.text] } == [
        ["own", "Cart.checkout() Shop Cart.swift:42"], [nil, "UIKitCore + 0x40 Shop Cart.swift:42"],
      ])
    #expect(threads[1].texts("p.meta") == ["12 more frames."])
    #expect(
      try section.one("pre.copy").text
        == "Thread 3, which crashed: 0 Shop Cart.checkout() (Cart.swift:42) 1 Shop UIKitCore + 0x40 (Cart.swift:42) "
        + "Thread 0: 0 Shop main (Cart.swift:42)")
  }

  @Test("a group is resolved by a form where somebody is signed in, else by a command; a closed one is opened again")
  func decisions() throws {
    let signedIn = PageContext(isSignedIn: true, canEdit: true)
    let form = try page(Fleet.groupPage(), signedIn).one("form.decide")
    #expect(form["action"] == Self.address + "/3f2a9c01d4e5b678" && form["method"] == "post")
    #expect(try form.one("label").text == "Fixed in release" && form.one("input")["required"] == "")
    #expect(
      form.all("button").map { [$0.text, $0["name"], $0["value"]] } == [
        ["Resolve", "state", "resolved"], ["Ignore", "state", "ignored"],
      ])
    #expect(form.all("button").map { $0["formnovalidate"] } == [nil, ""])
    let commands = try page().section("What it hits")
    #expect(!commands.has("form"))
    #expect(
      try commands.one("pre").text
        == "plumb groups resolve 3f2a9c01d4e5b678 --app com.example.shop --in RELEASE plumb groups ignore 3f2a9c01d4e5b678 "
        + "--app com.example.shop")
    var model = Fleet.groupPage()
    model.group.status = .resolved(release: "4.2.1")
    let resolved = try page(model, signedIn).one("form.decide")
    #expect(resolved.texts("button") == ["Open again"] && !resolved.has("input"))
    #expect(
      try page(model).section("What it hits").one("pre").text
        == "plumb groups reopen 3f2a9c01d4e5b678 --app com.example.shop")
  }

  private func page(_ model: GroupDetail, _ context: PageContext) throws -> Element {
    try page(model, focus: nil, context)
  }

  @Test("boxes of a flame graph are as wide as their samples, callers above those they call, the hottest path marked")
  func flame() throws {
    let section = try page(Fleet.groupPage(hang: true)).section("Where the time goes")
    #expect(
      section.texts("p.meta").first
        == "100 samples of 1 diagnostic: callers above those they call, as wide as the samples they were in. The hottest "
        + "path is marked. Choose a function to see what it called.")
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
    let path = try section.table("From the outermost function inwards")
    #expect(section.texts("summary") == ["The hottest path as a table", "Copy as text"])
    #expect(
      path.rows.map(\.texts) == [
        ["main", "Shop", "100", "100 %"], ["FeedViewController.reload()", "Shop", "80", "80.0 %"],
        ["FeedParser.parse(data:)", "Shop", "70", "70.0 %"],
        ["libsystem_kernel.dylib + 0x40", "libsystem_kernel.dylib", "30", "30.0 %"],
      ])
  }

  @Test("a chosen function is as wide as the page, under the path that leads to it")
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

  @Test("a flame graph deeper than is drawn says so and leads on; as a file it is drawn whole, without links")
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
    #expect(deeper.text == "120 more levels lie below the last one that is drawn: go on from level79().")
    let next = try #require(flame.nodes.first { $0.name == "level79()" })
    #expect(deeper.links() == [Self.address + "/0123456789abcdef?focus=\(next.id)"])
    let zoomed = try page(model, focus: next.id).section("Where the time goes")
    #expect(zoomed.texts("p.meta").last?.hasPrefix("41 more levels lie") == true)
    #expect(zoomed.texts("svg.flame text").contains("level158()"))
    let file = try page(model, PageContext(linkStyle: .files)).section("Where the time goes")
    #expect(file.texts("svg.flame text").count == 200 && !file.has("svg.flame a") && file.all("p.meta").count == 1)
  }

  @Test("code of the system has its offset in a flame graph while all samples are of one version of it")
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
}

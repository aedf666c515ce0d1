import Foundation
import Testing

@testable import Analysis
@testable import Core
@testable import Storage
@testable import Web

@Suite("Filters as chips")
struct FilterBarTests {
  private static let metric = Page.metric(app: Fleet.app, name: "launch.first_draw")

  /// What the bar writes, read as a page is. The slice is that of the filter, as it is on a page.
  private func bar(
    _ page: Page = metric, _ filter: ReportQuery = .init(), choices: FilterChoices? = Fleet.choices,
    style: LinkStyle = .served, slice: Slice? = nil
  ) throws -> Element {
    let own = Slice(
      environment: filter.environment ?? "production", release: filter.release, os: filter.os, device: filter.device,
      deviceClass: filter.deviceClass, label: filter.label)
    let context = PageContext(linkStyle: style, filter: filter, choices: choices)
    return try HTMLParser.parse(
      markup {
        $0.write(
          FilterBar(
            page: page, window: Fleet.window, slice: slice ?? own, context: context,
            isWholeApp: (slice ?? own).release == nil))
      })
  }

  @Test("links to data omit filters that do not apply to the page")
  func hidden() throws {
    func releases(hidden: Set<FilterPart>) throws -> [String?] {
      let filter = ReportQuery(environment: "testflight", release: "4.3.0")
      let context = PageContext(linkStyle: .served, filter: filter, choices: Fleet.choices)
      let bar = try HTMLParser.parse(
        markup {
          $0.write(
            FilterBar(
              page: Self.metric, window: Fleet.window, slice: Slice(environment: "testflight"), context: context,
              hidden: hidden))
        })
      return try bar.links("li.data a").map { try query($0).release }
    }
    #expect(try releases(hidden: []) == ["4.3.0", "4.3.0"])
    #expect(try releases(hidden: [.release]) == [nil, nil])
  }

  /// The menu under a chip's title, such as `Release`.
  private func chip(_ title: String, _ bar: Element) throws -> Element {
    let found = bar.all("details.chip").filter { $0.texts("summary .unseen") == [title + ":"] }
    try #require(found.count == 1, "\(found.count) chips are called \(title)")
    return found[0]
  }

  /// The query of an address as its server reads it.
  private func query(_ address: String) throws -> ReportQuery {
    let items = try #require(URLComponents(string: address)).queryItems ?? []
    return try ReportQuery { name in items.first { $0.name == name }?.value }
  }

  private static let metricParts: [(title: String, value: @Sendable (ReportQuery) -> String?, expected: [String?])] = [
    ("Environment", { $0.environment }, [nil, "production", "testflight"]),
    ("Device class", { $0.deviceClass }, [nil, "iPhone 12 and older", "iPhone 16"]),
    ("Device", { $0.device }, [nil, "iPhone15,2", "iPhone99,9"]),
    ("OS version", { $0.os }, [nil, "iOS 26.1", "iOS 18.6.2"]),
  ]

  @Test("every choice is a link with that filter and all others unchanged")
  func reachable() throws {
    let filter = ReportQuery(
      from: Fleet.window.from, to: Fleet.window.to, environment: "testflight", release: "4.3.0", os: "iOS 26.1",
      device: "iPhone15,2", deviceClass: "iPhone 16", label: "cold & \"warm\"")
    let bar = try self.bar(Self.metric, filter)
    for part in Self.metricParts {
      let links = try chip(part.title, bar).links("li a")
      let queries = try links.map(query)
      #expect(queries.map { part.value($0) } == part.expected, "\(part.title)")
      for other in Self.metricParts where other.title != part.title {
        #expect(queries.allSatisfy { other.value($0) == other.value(filter) })
      }
      #expect(queries.allSatisfy { $0.label == filter.label && $0.from == filter.from && $0.release == "4.3.0" })
      #expect(links.allSatisfy { $0.hasPrefix(Self.metric.path) })
    }
    // No script: what opens a menu is an element of its own, and one menu at a time is open.
    #expect(bar.all("details.chip").count == 7 && bar.all("details.chip[name=filter]").count == 7)
    #expect(!bar.has("button[type=button]") && !bar.has("select"))
  }

  @Test("a choice is a release, all releases, or the newest in use, and `all` is read as the whole app")
  func releases() throws {
    let menu = try chip("Release", try bar())
    #expect(menu.texts("li") == ["Newest in use", "All releases", "4.3.1", "4.3.0", "4.2.0"])
    let queries = try menu.links().map(query)
    #expect(queries.map(\.release) == [nil, nil, "4.3.1", "4.3.0", "4.2.0"])
    #expect(queries.map(\.isWholeApp) == [false, true, false, false, false])
    // And on: what was read is written as it was.
    let whole = queries[1]
    let next = try bar(.budgets(app: Fleet.app), whole)
    #expect(try chip("Release", next).texts("a[aria-current=true]") == ["All releases"])
    for link in try chip("OS version", next).links() {
      let read = try query(link)
      #expect(read.isWholeApp && read.release == nil, "\(link)")
    }
    // Pages that are about all releases anyway offer no such choice, and name none by a word of the address.
    let sessions = try chip("Release", try bar(.sessions(app: Fleet.app), whole))
    #expect(sessions.texts("li") == ["All releases", "4.3.1", "4.3.0", "4.2.0"])
    #expect(sessions.texts("a[aria-current=true]") == ["All releases"])
  }

  @Test("current filters are on their chips and marked in the menus, even if no longer in use")
  func current() throws {
    let filter = ReportQuery(
      environment: "testflight", release: "4.3.0 (1298)", os: "iOS 26.1", device: "iPhone15,2",
      deviceClass: "iPhone 99",
      label: "cold")
    let bar = try self.bar(Self.metric, filter)
    let expected = [
      "Environment": "testflight", "Release": "4.3.0 (1298)", "OS version": "iOS 26.1", "Device": "iPhone 14 Pro",
      "Device class": "iPhone 99", "Label": "cold",
    ]
    for (title, value) in expected {
      let chip = try chip(title, bar)
      #expect(try chip.one("summary")["class"] == "set" && chip.one("summary bdi").text == value, "\(title)")
      #expect(chip.texts("a[aria-current=true]") == [value], "\(title)")
    }
    #expect(bar.texts("li > a").contains("Clear filters"))
    let plain = try self.bar()
    #expect(plain.all("summary.set").isEmpty && !plain.texts("li > a").contains("Clear filters"))
    for title in expected.keys where title != "Label" {
      #expect(try chip(title, plain).all("a[aria-current=true]").count == 1, "\(title)")
    }
  }

  @Test("menus of very many values have the first ones and the current one, and the rest is counted")
  func many() throws {
    var choices = Fleet.choices
    choices.releases = (1...100).map { "1.\($0)" }
    let menu = try chip("Release", try bar(Self.metric, ReportQuery(release: "1.99"), choices: choices))
    #expect(menu.texts("a[aria-current=true]") == ["1.99"])
    #expect(menu.all("a").count < 70 && menu.texts("li.meta").first?.hasSuffix("more; set them in the URL") == true)
  }

  @Test("both dates have a value even if not chosen, and usual spans end on the newest day")
  func days() throws {
    for filter in [ReportQuery(), ReportQuery(from: Fleet.lastDay - 3), ReportQuery(to: Fleet.lastDay)] {
      let chip = try chip("Days", try bar(Self.metric, filter))
      let dates = chip.all("input[type=date]")
      #expect(dates.map { $0["value"] } == ["2026-10-24", "2026-11-20"])
      #expect(dates.map { $0["name"] } == ["from", "to"])
      #expect(chip.texts("label") == ["From", "To"])
      #expect(zip(dates, chip.all("label")).allSatisfy { $0["id"] == $1["for"] })
    }
    let chip = try chip("Days", try bar())
    let queries = try chip.links("ul a").map(query)
    #expect(
      chip.texts("ul a") == ["Since the release", "Today", "Yesterday and today", "7 days", "28 days", "90 days"])
    #expect(queries[0].from == nil && queries[0].to == nil)
    // Today is behind the newest day with data.
    let spans = queries.dropFirst().map { "\($0.from?.iso ?? "") \($0.to?.iso ?? "")" }
    #expect(
      spans == [
        "2026-11-21 2026-11-21", "2026-11-20 2026-11-21", "2026-11-14 2026-11-20", "2026-10-24 2026-11-20",
        "2026-08-23 2026-11-20",
      ])
    #expect(chip.texts("a[aria-current=true]") == ["Since the release"])
    let week = try self.chip("Days", try bar(Self.metric, ReportQuery(from: Fleet.lastDay - 6, to: Fleet.lastDay)))
    #expect(week.texts("a[aria-current=true]") == ["7 days"] && week.has("summary.set"))
    #expect(try self.chip("Days", try bar(.sessions(app: Fleet.app))).texts("ul a").first == "Last 28 days")
  }

  @Test("the form of dates keeps its page's filters, kind of groups and compared releases")
  func forms() throws {
    let filter = ReportQuery(environment: "testflight", os: "iOS 26.1", label: "cold")
    for page in [Page.groups(app: "a", kind: "hang"), .compare(app: "a", base: "1", head: "2"), Self.metric] {
      let form = try bar(page, filter).one("form")
      #expect(form["method"] == "get" && form["action"] == String(page.path.prefix { $0 != "?" }))
      let hidden = form.all("input[type=hidden]").map { [$0["name"], $0["value"]] }
      let kept = [["environment", "testflight"], ["os", "iOS 26.1"], ["label", "cold"]]
      #expect(hidden == kept + page.parameters.map { [$0.name, $0.value] }, "\(page.path)")
    }
    var whole = ReportQuery()
    whole.isWholeApp = true
    let hidden = try bar(Self.metric, whole).one("form").all("input[type=hidden]")
    #expect(hidden.map { [$0["name"], $0["value"]] } == [["release", "all"]])
  }

  @Test("a static export has days and filters as text, without chips, forms or links except to its data")
  func export() throws {
    let slice = Slice(release: "4.3.0 (1298)", os: "iOS 26.1", device: "iPhone15,2")
    let bar = try self.bar(style: .files, slice: slice)
    #expect(!bar.has("details") && !bar.has("form"))
    #expect(
      bar.texts("li") == [
        "2026-10-24 to 2026-11-20", "production", "4.3.0 (1298)", "iOS 26.1", "iPhone 14 Pro", "JSON", "CSV",
      ])
    #expect(try self.bar(style: .files, slice: Slice()).texts("li").contains("all releases"))
  }

  @Test("the data behind a page with an automatic release is of that release and those days")
  func data() throws {
    let bar = try self.bar(Self.metric, .init(), slice: Slice(release: "4.3.0 (1298)"))
    for link in bar.links("li.data a") {
      let read = try query(link)
      #expect(read.release == "4.3.0 (1298)" && read.from == Fleet.window.from && read.to == Fleet.window.to)
    }
    #expect(bar.links("li.data a").count == 2)
    #expect(try query(try #require(self.bar().links("li.data a").first)) == ReportQuery())
  }

  @Test("a hostile name is text in its chip and one value in its link", arguments: HostileStringTests.strings)
  func hostile(text: String) throws {
    guard !text.isEmpty else { return }
    let choices = FilterChoices(
      environments: [text], releases: [text], systems: [text], deviceClasses: [text],
      devices: [.init(model: text, title: text)])
    let bar = try self.bar(Self.metric, ReportQuery(os: text), choices: choices)
    for part in Self.metricParts {
      let last = try #require(try chip(part.title, bar).links("li a").last)
      #expect(part.value(try query(last)) == text, "\(part.title)")
    }
    #expect(
      Set(bar.descendants.map(\.name)).isSubset(of: [
        "div", "ul", "li", "details", "summary", "span", "bdi", "a", "form", "label", "input", "button", "wbr",
      ]))
  }
}

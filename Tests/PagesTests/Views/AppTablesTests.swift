import Testing

@testable import Analysis
@testable import Core
@testable import Storage
@testable import Web

@Suite("Tables of an app's page")
struct AppTablesTests {
  private func page(_ status: AppStatus = Fleet.appPage, crashes: GroupList? = nil) throws -> Element {
    try HTMLPage.parse(AppView.render(status, crashes: crashes, PageContext()))
  }

  private static let app = "/apps/com.example.shop"
  private static let ofRelease = "?release=4.3.0%20%281298%29"

  @Test("budgets next to the vitals have a row each, with a small trend")
  func otherBudgets() throws {
    let table = try page().section("Other budgets").table()
    #expect(table.columns == ["Metric", "4.3.0 (1298)", "4.2.0 (1251)", "Limit", "Trend"])
    #expect(
      table.element.texts("tbody th > a") == [
        "Peak memory", "Suspended memory", "Scroll hitch ratio", "Frame rate", "Network request",
        "Disk writes per device-day",
      ])
    #expect(
      table.rows.map { Array($0.texts[1...3]) } == [
        ["212 MB 205–221 MB, n 8,204", "–", "≤ 300 MB"], ["61 MB 58–64 MB, n 8,204", "–", "≤ 100 MB"],
        ["3.4 ms/s 3.1–3.8 ms/s, n 8,011", "–", "≤ 10 ms/s"], ["59.2 fps 58.9–59.5 fps, n 7,900", "–", "≥ 58 fps"],
        ["640 ms 622–660 ms, n 120,400", "–", "≤ 2 s"], ["182 MB 170–196 MB, n 8,204", "–", "≤ 1 GB"],
      ])
    #expect(table.rows.allSatisfy { $0.element.has("svg.spark") })
    #expect(table.rows[2].element.links("th a") == [Self.app + "/metrics/ui.scroll_hitch_ratio" + Self.ofRelease])
  }

  @Test("a small trend spans the loss of a higher-is-better metric, and the whole value of others")
  func sparklines() throws {
    let table = try page().section("Other budgets").table()
    func heights(_ row: Int) -> [Double] {
      table.rows[row].element.all("path.line").flatMap { path in
        (path["d"] ?? "").split { "ML".contains($0) }.compactMap {
          $0.split(separator: " ").last.flatMap { Double($0) }
        }
      }
    }
    // The drawing reaches from 5 at the top to 35 at the bottom, over the twelve days of the release.
    let frames = heights(3)
    #expect(frames.count == 12 && frames.max() == 35)
    let hitches = heights(2)
    #expect(hitches.min() == 5 && (hitches.max() ?? 35) < 15)
  }

  @Test("crash groups have their share of the release's sessions with an interval, and are marked if new")
  func crashes() throws {
    var list = Fleet.groupList()
    list.slice.release = "4.2.0 (1234)"
    let section = try page(crashes: list).section("Top crashes")
    let table = try section.table("4.2.0 (1234), 2026-11-17 to 2026-11-20: shares of 1,987 sessions")
    #expect(table.columns == ["Crash", "Share", "Users affected", "Introduced in", "Trend"])
    #expect(table.heads.first == "EXC_BAD_ACCESS in CartViewController.checkout() new")
    // 90 % and 100.1 % of 0.86 %.
    #expect(table.column("Share").first == "0.86 % 0.77–0.86 %")
    #expect(table.column("Introduced in").first == "4.2.0 (1234)" && table.column("Users affected").first == "15")
    #expect(table.rows[0].element.links("th a") == [Self.app + "/groups/3f2a9c01d4e5b678" + Self.ofRelease])
    #expect(section.texts("p.meta a") == ["Groups of crashes, hangs and other diagnostics"])
    #expect(section.links("p.meta a") == [Self.app + "/groups?kind=crash&release=4.3.0%20%281298%29"])
    list.total = 1250
    list.groups[0].introduced = "4.1.0 (1190)"
    let more = try page(crashes: list).section("Top crashes")
    #expect(more.texts("p.meta a") == ["All 1,250 crash groups"])
    #expect(try more.table().heads.first == "EXC_BAD_ACCESS in CartViewController.checkout()")
    list.groups = []
    #expect(try !page(crashes: list).texts("h2").contains("Top crashes"))
  }

  @Test("releases have their stage, adoption, use and crash-free sessions, the newest first, with the one before")
  func releases() throws {
    let table = try page().table("Adoption is the share")
    #expect(table.heads == ["4.3.1 (1302)", "4.3.0 (1298)", "4.2.0 (1251)", "4.1.2 (1190)"])
    #expect(table.column("Stage") == ["Low", "Adopted", "Adopted", "Replaced"])
    #expect(table.column("Adoption") == ["3.1 %", "41.2 %", "51.8 %", "3.9 %"])
    // 1.06 times the adoption.
    #expect(table.column("Share of users") == ["3.3 %", "43.7 %", "54.9 %", "4.1 %"])
    #expect(table.column("Sessions") == ["9,120", "16,840", "21,060", "1,190"])
    #expect(
      table.column("Crash-free sessions") == [
        "99.67 % 99.53–99.78 %", "98.71 % 98.55–98.86 %", "99.72 % 99.64–99.79 %", "99.58 % 99.02–99.86 %",
      ])
    #expect(
      table.column("Seen") == ["2026-11-17", "2026-11-09", "2026-10-27", "2026-10-24"].map { $0 + " to 2026-11-20" })
    #expect(table.column("Compare") == ["with 4.3.0 (1298)", "with 4.2.0 (1251)", "with 4.1.2 (1190)", "–"])
    #expect(
      try table.rows[0].cell("Compare").links() == [
        Self.app + "/compare?base=4.3.0%20%281298%29&head=4.3.1%20%281302%29"
      ])
  }

  @Test("an app without sessions counts payloads, and data without a release has no stage")
  func payloads() throws {
    var status = Fleet.appPage
    for index in status.releases.indices { status.releases[index].sessions = 0 }
    status.releases[3].release = Release(version: "(unknown)")
    status.releases[3].stage = nil
    let table = try page(status).table("Adoption is the share")
    #expect(table.column("MetricKit payloads") == ["2,280", "4,210", "5,265", "297"])
    #expect(table.column("Stage").last == "–")
  }
}

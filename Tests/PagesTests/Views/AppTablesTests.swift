import Health
import Pages
import Storage
import Telemetry
import Testing

@Suite("The tables of an app's page")
struct AppTablesTests {
  private func page(_ status: AppStatus = Fleet.appPage) throws -> Element {
    try HTMLPage.parse(AppView.render(status, PageContext()))
  }

  private static let app = "/apps/com.example.shop"

  @Test("budgets beside the vitals have a row each, with a trend the size of a word")
  func otherBudgets() throws {
    let table = try page().table("Budgets beside the vitals")
    #expect(table.columns == ["Metric", "Budget", "Value and bounds", "n", "Verdict", "Trend"])
    #expect(table.heads == ["Scroll hitch ratio", "Frame rate", "Network request", "Disk writes per device-day"])
    #expect(
      table.rows.map { Array($0.texts[1...4]) } == [
        ["p90 ≤ 10 ms/s, warn at 5 ms/s", "3.4 ms/s 3.1–3.8 ms/s", "8,011", "✓ Within budget"],
        ["p10 ≥ 58 fps", "59.2 fps 58.9–59.5 fps", "7,900", "✓ Within budget"],
        ["p90 ≤ 2 s", "640 ms 622–660 ms", "120,400", "✓ Within budget"],
        ["p90 ≤ 1 GB", "182 MB 170–196 MB", "8,204", "✓ Within budget"],
      ])
    #expect(table.rows.allSatisfy { $0.element.has("svg.spark") })
    #expect(table.rows.first?.element.links("th a") == [Self.app + "/metrics/ui.scroll_hitch_ratio"])
  }

  @Test("a trend the size of a word spans the loss of what should be high, and the whole value of what should be low")
  func sparklines() throws {
    let table = try page().table("Budgets beside the vitals")
    func heights(_ row: String) throws -> [Double] {
      try table.row(row).element.all("path.line").flatMap { path in
        (path["d"] ?? "").split { "ML".contains($0) }.compactMap {
          $0.split(separator: " ").last.flatMap { Double($0) }
        }
      }
    }
    // The drawing reaches from 5 at the top to 35 at the bottom.
    let frames = try heights("Frame rate")
    #expect(frames.count == 27 && frames.max() == 35)
    let hitches = try heights("Scroll hitch ratio")
    #expect(hitches.min() == 5 && (hitches.max() ?? 35) < 15)
  }

  @Test("the newest releases stand side by side, a row a budget, each with its verdict, number and n")
  func newestReleases() throws {
    let table = try page().table("Budgets on the newest releases")
    #expect(table.columns == ["Budget", "4.3.1 (1302)", "4.3.0 (1298)"])
    #expect(
      table.rows.map(\.texts) == [
        [
          "Crash-free sessions ≥ 99.5 %", "✓ Within budget 99.67 % 99.56–99.76 % · n 9,120",
          "✕ Broken 98.71 % 98.55–98.86 % · n 16,840",
        ],
        [
          "Launch to first draw p90 ≤ 2 s", "✓ Within budget 1.37 s 1.29–1.46 s · n 3,120",
          "✓ Within budget 1.50 s 1.43–1.57 s · n 7,240",
        ],
        [
          "Extended launch p90 ≤ 2 s", "○ Not enough data 0 launches; at least 29 are needed.",
          "○ Not enough data 9 launches; at least 29 are needed. 1.75 s · n 9",
        ],
      ])
  }

  @Test("releases have their stage, adoption, use and crash-free sessions, the newest first, beside the one before")
  func releases() throws {
    let table = try page().table("Adoption is the share")
    #expect(table.heads == ["4.3.1 (1302)", "4.3.0 (1298)", "4.2.0 (1251)", "4.1.2 (1190)"])
    #expect(table.column("Stage") == ["Adopted", "Adopted", "Adopted", "Replaced"])
    #expect(table.column("Adoption") == ["23.1 %", "41.2 %", "31.8 %", "3.9 %"])
    // 1.06 times the adoption.
    #expect(table.column("Share of users") == ["24.5 %", "43.7 %", "33.7 %", "4.1 %"])
    #expect(table.column("Sessions") == ["9,120", "16,840", "21,060", "1,190"])
    #expect(table.column("MetricKit payloads") == ["2,280", "4,210", "5,265", "297"])
    #expect(
      table.column("Crash-free sessions") == [
        "99.67 % 99.53–99.78 %", "98.71 % 98.52–98.89 %", "99.72 % 99.64–99.79 %", "99.58 % 99.02–99.86 %",
      ])
    #expect(table.column("First seen") == ["2026-11-17", "2026-11-09", "2026-10-27", "2026-10-24"])
    #expect(Set(table.column("Last seen")) == ["2026-11-20"])
    #expect(table.column("Compare") == ["with 4.3.0 (1298)", "with 4.2.0 (1251)", "with 4.1.2 (1190)", "–"])
    #expect(
      try table.rows[0].cell("Compare").links() == [
        Self.app + "/compare?base=4.3.0%20%281298%29&head=4.3.1%20%281302%29"
      ])
  }

  @Test("a burn rate has its long and its short window and the limit of both, and says which burns too fast")
  func burn() throws {
    let section = try page().section("Error budget")
    #expect(
      section.texts("p") == [
        "The error budget is spent: the last 28 days used 129.4 % of the crashed sessions that 99.5 % crash-free sessions "
          + "allow."
      ])
    let table = try section.table("Burn rate by arrival")
    #expect(table.heads == ["1h and 5m", "6h and 30m", "1d and 2h", "3d and 6h"])
    #expect(table.column("Long") == ["0.8", "1.1", "3.4", "1.3"])
    #expect(table.column("Short") == ["0.0", "0.9", "3.2", "2.1"])
    #expect(table.column("Limit") == ["14.4", "6.0", "3.0", "1.0"])
    #expect(table.column("Crashed sessions") == ["2", "7", "25", "73"])
    #expect(table.column("Users") == ["1", "5", "19", "55"])
    // Both windows lie above the limit in the last two.
    #expect(table.column("State") == ["Calm", "Calm", "Burning too fast", "Burning too fast"])
  }

  @Test("an error budget that is left says how much, and one that is not known says so")
  func errorBudget() throws {
    var status = Fleet.appPage
    status.report.burn.budgetLeft = 0.6
    #expect(
      try page(status).section("Error budget").texts("p") == [
        "60.0 % of the error budget is left: the last 28 days used 40.0 % of the crashed sessions that 99.5 % crash-free "
          + "sessions allow."
      ])
    status.report.burn.budgetLeft = nil
    status.report.burn.windows[0].longRate = nil
    let section = try page(status).section("Error budget")
    #expect(
      section.texts("p") == ["How much of the error budget of 99.5 % crash-free sessions is left is not known."])
    let row = try section.table("Burn rate").row("1h and 5m")
    #expect(row["Long"] == "–" && row["State"] == "–")
    status.report.burn = BurnReport()
    #expect(try !page(status).texts("h2").contains("Error budget"))
  }

  @Test("sessions are counted by outcome; users are told apart from user-days, in that order")
  func sessions() throws {
    let section = try page().section("Sessions")
    let outcomes = try section.table("48,210 sessions by outcome")
    #expect(
      outcomes.rows.map(\.texts) == [
        ["Healthy", "47,010", "97.51 %"], ["Errored", "720", "1.49 %"], ["Unhandled", "0", "0 %"],
        ["Abnormal", "168", "0.35 %"], ["Crashed", "312", "0.65 %"],
      ])
    let shares = try section.table("Shares without a crash")
    #expect(
      shares.rows.map(\.texts) == [
        ["Crash-free sessions", "99.35 % 99.27–99.43 %", "48,210"],
        ["Crash-free user-days", "99.50 % 99.19–99.71 %", "6,210"],
        ["Crash-free users", "94.3 % 93.2–95.2 %", "2,114"],
      ])
  }

  @Test("exits that happened stand in the foreground's and the background's column")
  func exits() throws {
    #expect(
      try page().table("Why iOS ended the app").rows.map(\.texts) == [
        ["Normal", "41,200", "52,310"], ["Memory limit", "22", "0"], ["Bad access", "90", "0"],
        ["Abnormal", "168", "0"], ["Watchdog", "31", "0"], ["Memory pressure", "0", "9,120"],
        ["Suspended with locked file", "0", "4"], ["Background task timeout", "0", "12"],
      ])
  }

  @Test("all other metrics are listed: distributions by percentiles, the rest by their number")
  func otherMetrics() throws {
    let section = try page().section("Other metrics")
    let distributions = try section.table("Percentiles")
    #expect(distributions.columns == ["Metric", "p50", "p90", "p95", "n", "Source"])
    #expect(
      distributions.rows.first?.texts == [
        "Hang duration", "420 ms 407–437 ms", "1.90 s 1.84–1.98 s", "9.00 s ≥ 8.73 s", "1,204", "MetricKit",
      ])
    #expect(distributions.heads == ["Hang duration", "Image decode", "Cellular bars"])
    let others = try section.table("Shares, rates and sums")
    #expect(
      others.rows.last?.texts == [
        "Hangs per hour of use", "3.1 hangs/h 2.8–3.5 hangs/h", "8,204", "8,204", "MetricKit",
      ])
    #expect(
      others.heads == ["CPU time", "Cellular download", "CPU instructions", "Foreground time", "Hangs per hour of use"])
  }
}

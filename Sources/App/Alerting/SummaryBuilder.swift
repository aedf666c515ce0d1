public import Analysis
public import Core
import Foundation
internal import Outbound
import SQLiteStore
public import Storage
import Web

/// Builds the daily or weekly summary messages of the apps in a data folder.
public struct SummaryBuilder {
  private let installation: Installation
  private let store: SQLiteStore
  private let budgets: BudgetRepository
  private let period: SummaryPeriod
  private let root: String?

  /// Creates a builder of summaries. `budgets`: the path of a budget file; nil for the files in the data folder.
  /// `publicURL`: the public address of the dashboard, for links.
  public init(_ installation: Installation, budgets: String?, publicURL: String?, _ period: SummaryPeriod) throws {
    self.installation = installation
    store = try installation.store()
    self.budgets = BudgetRepository(installation, file: budgets)
    self.period = period
    root = AlertLinks.root(publicURL)
  }

  /// One message per app, or only for the bundle identifier `app`. `last`: the last day; nil for yesterday.
  public func messages(for app: String?, to last: CalendarDay?, now: Timestamp) throws -> [AlertMessage] {
    try installation.apps(app).map { app in try store.snapshot { try message(on: app, to: last, now: now) } }
  }

  private func message(on app: App, to last: CalendarDay?, now: Timestamp) throws -> AlertMessage {
    let offset = AppTimeZone(name: app.settings.timeZone)?.utcOffsetSeconds(at: now) ?? 0
    let today = Timestamp(milliseconds: now.milliseconds + Int64(offset) * 1000).day()
    let window = period.window(before: last.map { $0 + 1 } ?? today)
    let earlier = period.previous(of: window)
    let health = try budgets.health(of: app, store)
    let report = try health.report(app, ReportQuery(from: window.from, to: window.to), now: now)
    let before = try health.report(
      app, ReportQuery(from: earlier.from, to: earlier.to, environment: report.slice.environment), now: now)
    let start = Timestamp(milliseconds: Int64(window.from.number) * 86_400_000 - Int64(offset) * 1000)
    return AlertMessage(
      summary: SummaryInput(
        app: app.bundleID, period: period, report: report, before: before,
        incidents: try installation.control.incidents(of: app.id, closedAfter: start),
        link: root.map { $0 + Page.app(app.bundleID).path + "?from=\(window.from.iso)&to=\(window.to.iso)" }, now: now))
  }
}

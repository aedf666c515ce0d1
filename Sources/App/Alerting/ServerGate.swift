import Alerts
import Budgets
import Health
import SQLiteStore
import Server
import Storage
import Telemetry

extension ReleaseGate {
  /// The gate of a running server. Its answers are those of `plumb check` and `plumb compare` on the same folder.
  /// `budgets`: those that apply when a request sends none.
  init(_ installation: Installation, _ store: SQLiteStore, _ budgets: BudgetRepository) {
    self.init { question in
      do {
        let own = try question.budgets.map {
          try BudgetRepository(installation.folder, sent: $0.yaml, name: $0.name)
        }
        switch question.kind {
        case .check(let printsAll, let listsIncidents):
          var options = CheckRun.Options(query: question.query)
          options.readOnly = try Self.format(question.format, among: VerdictFormatter.formats)
          (options.printsAll, options.listsIncidents, options.now) = (printsAll, listsIncidents, question.now)
          return try Self.check(installation, store, own ?? budgets, question, options)
        case .compare(let base, let head):
          return try Self.compare(store, own ?? budgets, question, base: base, head: head)
        }
      } catch let error as BudgetErrors {
        // A file can have thousands of errors.
        throw Impossible(error.errors.prefix(Self.mostErrors).map(\.description).joined(separator: "\n"))
      } catch  where error is UserFacingError || error is ImpossibleComparison || error is StoreError {
        throw Impossible("\(error)")
      }
    }
  }

  private static let mostErrors = 100

  private static func check(
    _ installation: Installation, _ store: SQLiteStore, _ budgets: BudgetRepository, _ question: Question,
    _ options: CheckRun.Options
  ) throws -> Answer {
    var (output, messages): ([UInt8], [String]) = ([], [])
    var run = try CheckRun(
      installation, store, question.apps, budgets, nil, options,
      CheckRun.Output(write: { output += $0 }, complain: { messages.append($0) }))
    let status = try run.run()
    return Answer(status: status, output: output, messages: messages)
  }

  private static func compare(
    _ store: SQLiteStore, _ budgets: BudgetRepository, _ question: Question, base: String, head: String
  ) throws -> Answer {
    let format = try format(question.format, among: ComparisonFormatter.formats)
    guard let app = question.apps.first else { throw Impossible("There is no app to compare releases of.") }
    try budgets.check(against: [app])
    let comparison = try store.snapshot {
      try budgets.health(of: app, store).compare(
        app, base: base, head: head, question.query, byLabel: true, now: question.now)
    }
    return Answer(
      status: comparison.exitStatus, output: ComparisonFormatter.text(comparison, format), messages: [])
  }

  private static func format(_ name: String?, among formats: [OutputFormat]) throws -> OutputFormat {
    guard let name else { return .text }
    if let format = formats.first(where: { $0.rawValue == name }) { return format }
    let names = formats.map(\.rawValue).joined(separator: ", ")
    throw InvalidQuery(detail: "format: expected one of \(names), found \"\(name)\"", parameter: "format")
  }
}

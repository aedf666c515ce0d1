public import Analysis
import Core
import SQLiteStore
import Storage

/// The release gate of a data folder, for `plumb compare` and for requests to `/api/v1/gate`.
public struct FolderGate: ReleaseGate {
  private let installation: Installation
  private let store: SQLiteStore
  private let budgets: BudgetRepository

  /// `budgets`: the budgets for requests without budgets.
  init(_ installation: Installation, _ store: SQLiteStore, _ budgets: BudgetRepository) {
    (self.installation, self.store, self.budgets) = (installation, store, budgets)
  }

  /// The gate of a folder, for a command. `budgets`: the path of a budget file; nil for the files in the folder.
  public init(_ installation: Installation, budgets: String?) throws {
    self.init(installation, try installation.store(), BudgetRepository(installation, file: budgets))
  }

  public func judge(_ question: GateQuestion) throws -> GateAnswer {
    do {
      return try answer(question)
    } catch let error as BudgetErrors {
      // A file can have thousands of errors.
      throw ImpossibleJudgement(error.errors.prefix(Self.mostErrors).map(\.description).joined(separator: "\n"))
    } catch  where error is UserFacingError || error is ImpossibleComparison || error is StoreError {
      throw ImpossibleJudgement("\(error)")
    }
  }

  private static let mostErrors = 100
  private static let noApp = ImpossibleJudgement("There is no app to judge.")

  /// Evaluates, and throws each error unchanged.
  public func answer(_ question: GateQuestion) throws -> GateAnswer {
    let own = try question.budgets.map { try BudgetRepository(installation, sent: $0.yaml, name: $0.name) }
    switch question.kind {
    case .check(let printsAll, let listsIncidents):
      var options = CheckRun.Options(query: question.query)
      options.readOnly = try Self.format(question.format, among: VerdictFormatter.formats)
      (options.printsAll, options.listsIncidents, options.now) = (printsAll, listsIncidents, question.now)
      return try check(question, own ?? budgets, options)
    case .compare(let base, let head):
      return try compare(question, own ?? budgets, base: base, head: head)
    case .rollout(let release, let base):
      let format = try Self.format(question.format, among: RolloutFormatter.formats)
      let report = try read(question, own ?? budgets) { health, app in
        try health.rollout(app, release: release, base: base, question.query, findsCauses: true, now: question.now)
      }
      return GateAnswer(status: report.exitStatus, text: RolloutFormatter.text(report, format))
    case .lab(let base, let head, let margin):
      let format = try Self.format(question.format, among: LabFormatter.formats)
      guard let app = question.apps.first else { throw Self.noApp }
      let comparison = try LabComparison(
        installation.control, app: app, base: base, head: head, margin: margin)
      return GateAnswer(status: comparison.exitStatus, text: LabFormatter.text(comparison, format))
    }
  }

  private func check(
    _ question: GateQuestion, _ budgets: BudgetRepository, _ options: CheckRun.Options
  ) throws -> GateAnswer {
    var answer = GateAnswer(status: 0, text: [])
    var run = try CheckRun(
      installation, store, question.apps, budgets, nil, options,
      CheckRun.Output(write: { answer.text += $0 }, complain: { answer.messages.append($0) }))
    answer.status = try run.run()
    return answer
  }

  private func compare(
    _ question: GateQuestion, _ budgets: BudgetRepository, base: String, head: String
  ) throws -> GateAnswer {
    let format = try Self.format(question.format, among: ComparisonFormatter.formats)
    let comparison = try read(question, budgets) { health, app in
      try health.compare(
        app, base: base, head: head, question.query, byLabel: true, findsCauses: true, now: question.now)
    }
    return GateAnswer(status: comparison.exitStatus, text: ComparisonFormatter.text(comparison, format))
  }

  /// Reads the numbers of the question's app within one snapshot.
  private func read<Answer>(
    _ question: GateQuestion, _ budgets: BudgetRepository, _ body: (HealthReader, App) throws -> Answer
  ) throws -> Answer {
    guard let app = question.apps.first else { throw Self.noApp }
    try budgets.check(against: [app])
    return try store.snapshot { try body(budgets.health(of: app, store), app) }
  }

  private static func format(_ name: String?, among formats: [OutputFormat]) throws -> OutputFormat {
    guard let name else { return .text }
    if let format = formats.first(where: { $0.rawValue == name }) { return format }
    let names = formats.map(\.rawValue).joined(separator: ", ")
    throw InvalidQuery(detail: "format: expected one of \(names), found \"\(name)\"", parameter: "format")
  }
}

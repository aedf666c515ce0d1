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
    self.init(installation, try installation.store(), BudgetRepository(installation.folder, file: budgets))
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

  /// Evaluates, and throws each error unchanged.
  public func answer(_ question: GateQuestion) throws -> GateAnswer {
    let own = try question.budgets.map { try BudgetRepository(installation.folder, sent: $0.yaml, name: $0.name) }
    switch question.kind {
    case .check(let printsAll, let listsIncidents):
      var options = CheckRun.Options(query: question.query)
      options.readOnly = try Self.format(question.format, among: VerdictFormatter.formats)
      (options.printsAll, options.listsIncidents, options.now) = (printsAll, listsIncidents, question.now)
      return try check(question, own ?? budgets, options)
    case .compare(let base, let head):
      return try compare(question, own ?? budgets, base: base, head: head)
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
    guard let app = question.apps.first else { throw ImpossibleJudgement("There is no app to compare.") }
    try budgets.check(against: [app])
    let comparison = try store.snapshot {
      try budgets.health(of: app, store).compare(
        app, base: base, head: head, question.query, byLabel: true, now: question.now)
    }
    return GateAnswer(status: comparison.exitStatus, text: ComparisonFormatter.text(comparison, format))
  }

  private static func format(_ name: String?, among formats: [OutputFormat]) throws -> OutputFormat {
    guard let name else { return .text }
    if let format = formats.first(where: { $0.rawValue == name }) { return format }
    let names = formats.map(\.rawValue).joined(separator: ", ")
    throw InvalidQuery(detail: "format: expected one of \(names), found \"\(name)\"", parameter: "format")
  }
}

package import Storage

extension Incident {
  /// The incident's evidence in one sentence for pages, with a limit as `budget ≤ 2 s`. Messages have the sentence as
  /// it was recorded.
  package var readableSummary: String {
    switch key.rule {
    case .budget, .warning, .missing, .regression:
      evidence.summary.replacing(" <= ", with: " ≤ ").replacing(" >= ", with: " ≥ ")
    case .burn, .newGroup, .groupSpike, .stale, .digest, .quarantine, .evaluation, .space:
      evidence.summary
    }
  }
}

extension IncidentKey {
  /// An incident's name in messages, with the budget as its file has it: `p90 launch.first_draw <= 2 s`, `burn rate`.
  package var title: String { title(ofBudget: subject) }

  /// An incident's name on pages: `p90 launch to first draw ≤ 2 s`, `burn rate`.
  package var readableTitle: String { title(ofBudget: BudgetWords.line(subject)) }

  private func title(ofBudget budget: String) -> String {
    switch rule {
    case .budget: budget
    case .warning: "\(budget) (warning level)"
    case .missing: "\(budget) (missing data)"
    case .burn: "burn rate"
    case .regression: "\(subject) against the release before"
    case .newGroup: "new group \(subject)"
    case .groupSpike: "spike of group \(subject)"
    case .stale: "payloads that stopped"
    case .digest: "the digest"
    case .quarantine: "records set aside"
    case .space: "room on the disk"
    case .evaluation: "judging"
    }
  }
}

public import Health
public import Storage

/// The verdicts on one app.
public struct VerdictReport: Sendable {
  /// The bundle identifier.
  public var app: String
  public var results: [BudgetResult]
  /// What is open of it.
  public var incidents: [Incident]

  public init(app: String, results: [BudgetResult], incidents: [Incident] = []) {
    self.app = app
    self.results = results
    self.incidents = incidents
  }

  /// 2 when a budget is broken; 1 for a warning, or for not enough data where the budget requires it; else 0.
  public var exitStatus: Int32 {
    if results.contains(where: { $0.verdict == .broken }) { return 2 }
    return results.contains { $0.verdict == .warning || $0.lacksRequiredData } ? 1 : 0
  }

  /// What somebody has to hear about, the worst first. A budget that nothing matches is among them: a misspelt device or
  /// environment would look as if all were well.
  public var findings: [BudgetResult] {
    results.filter { $0.verdict == .broken } + results.filter { $0.verdict == .warning }
      + results.filter(\.lacksRequiredData) + unheard
  }

  /// Budgets that can say nothing, each once: where the whole app has nothing of it, no release has.
  private var unheard: [BudgetResult] {
    var said: Set<String> = []
    return results.filter { result in
      (result.reason == .unmatched || result.reason == .count) && !result.lacksRequiredData
        && said.insert(result.budget).inserted
    }
  }

  /// Every verdict: the findings, then what is within budget, then what cannot be told yet.
  public var everything: [BudgetResult] {
    let findings = findings
    return findings + results.filter { $0.verdict == .within }
      + results.filter { $0.verdict == .notEnoughData && !findings.contains($0) }
  }
}

extension BudgetResult {
  var lacksRequiredData: Bool { requiresData && verdict == .notEnoughData }
}

/// How verdicts are printed.
public enum VerdictFormat: String, Sendable, CaseIterable {
  case text
  case json
  case junit
  case github
}

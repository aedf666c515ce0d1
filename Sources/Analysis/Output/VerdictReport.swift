import Core
public import Storage

/// The verdicts on one app and its open incidents.
public struct VerdictReport: Sendable {
  /// The app's bundle identifier.
  public var app: String
  public var results: [BudgetResult]
  /// The app's open incidents.
  public var incidents: [Incident]

  public init(app: String, results: [BudgetResult], incidents: [Incident] = []) {
    self.app = app
    self.results = results
    self.incidents = incidents
  }

  /// The exit status of `plumb check`: 2 if a budget is broken; 1 for a warning or if a budget lacks the data that it
  /// requires; otherwise 0.
  public var exitStatus: Int32 {
    if results.contains(where: { $0.verdict == .broken }) { return 2 }
    return results.contains { $0.verdict == .warning || $0.lacksRequiredData } ? 1 : 0
  }

  /// The results to report, worst first. Budgets that match no data are included; otherwise a misspelt device or
  /// environment would look healthy.
  var findings: [BudgetResult] {
    results.filter { $0.verdict == .broken } + results.filter { $0.verdict == .warning }
      + results.filter(\.lacksRequiredData) + unmatched
  }

  /// Budgets that match no data or cannot be evaluated, each once.
  private var unmatched: [BudgetResult] {
    var seen: Set<String> = []
    return results.filter { result in
      (result.reason == .unmatched || result.reason == .count) && !result.lacksRequiredData
        && seen.insert(result.budget).inserted
    }
  }

  /// All results: the findings, then results within budget, then results without enough data.
  var everything: [BudgetResult] {
    let findings = findings
    return findings + results.filter { $0.verdict == .within }
      + results.filter { $0.verdict == .notEnoughData && !findings.contains($0) }
  }
}

extension BudgetResult {
  var lacksRequiredData: Bool { requiresData && verdict == .notEnoughData }
}

internal import Core

/// The built-in budgets. They apply to metrics without a budget in the team's file.
public enum DefaultBudgets {
  /// The default budgets, in the catalogue's order.
  public static let all: [Budget] = Catalogue.metrics.compactMap { metric in
    guard let limit = metric.budget else { return nil }
    var budget = try? BudgetParser.parse(line(metric: metric.name, limit: limit))
    budget?.isDefault = true
    return budget
  }

  /// A budget line: the catalogue's text, such as `p90 <= 2 s`, with the metric's name inserted.
  private static func line(metric: String, limit: String) -> String {
    let words = limit.split(separator: " ", maxSplits: 1)
    guard words.count == 2, words[0] != "<=", words[0] != ">=" else { return "\(metric) \(limit)" }
    return "\(words[0]) \(metric) \(words[1])"
  }
}

extension Budget {
  /// The budgets that apply: the team's, then the defaults of all other metrics. A line that equals a default counts as
  /// that default, so a file that lists all defaults changes nothing.
  public static func effective(file: BudgetFile?) -> [Budget] {
    let own = (file?.budgets ?? []).map(\.recognized)
    let covered = Set(own.map(\.metric))
    return own + DefaultBudgets.all.filter { !covered.contains($0.metric) }
  }

  /// A copy of the budget, marked as a default if everything but `text` equals a default.
  private var recognized: Budget {
    let isDefault = DefaultBudgets.all.contains { known in
      var words = known
      words.text = text
      words.isDefault = self.isDefault
      return words == self
    }
    guard isDefault else { return self }
    var marked = self
    marked.isDefault = true
    return marked
  }
}

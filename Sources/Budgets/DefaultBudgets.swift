internal import Telemetry

/// The budgets that apply where a team has written nothing.
public enum DefaultBudgets {
  /// One for each metric of the catalogue that has a default, in its order.
  public static let all: [Budget] = Catalogue.metrics.compactMap { metric in
    guard let limit = metric.budget else { return nil }
    var budget = try? BudgetParser.parse(line(metric: metric.name, limit: limit))
    budget?.isDefault = true
    return budget
  }

  /// The catalogue's `p90 <= 2 s` with the metric's name in its place.
  private static func line(metric: String, limit: String) -> String {
    let words = limit.split(separator: " ", maxSplits: 1)
    guard words.count == 2, words[0] != "<=", words[0] != ">=" else { return "\(metric) \(limit)" }
    return "\(words[0]) \(metric) \(words[1])"
  }
}

extension Budget {
  /// The team's budgets, then the defaults of all metrics that the team has written nothing for. A line that says what
  /// the default says is the default: a file that lists them all changes nothing.
  public static func effective(file: BudgetFile?) -> [Budget] {
    let own = (file?.budgets ?? []).map(\.recognized)
    let covered = Set(own.map(\.metric))
    return own + DefaultBudgets.all.filter { !covered.contains($0.metric) }
  }

  /// Marked as a default when it says the same as one, in whatever words.
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

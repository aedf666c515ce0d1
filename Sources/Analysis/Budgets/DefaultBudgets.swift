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

/// The file that `plumb budgets init` writes: one line per default budget, with comments.
public enum BudgetTemplate {
  /// The file's YAML, which parses as the default budgets. `app`: the bundle identifier of its app; nil for any app.
  public static func text(app: String?) -> String {
    let head = introduction + [app.map { "app: \($0)" } ?? "# app: com.example.shop", "budgets:"]
    return (head + DefaultBudgets.all.flatMap(entry)).joined(separator: "\n") + "\n"
  }

  private static func entry(_ budget: Budget) -> [String] {
    let metric = Catalogue.metric(named: budget.metric)
    let advice = metric?.advice.map { ["  # If it breaks: \($0)"] } ?? []
    return ["", "  # \(metric?.title ?? budget.metric)"] + advice + ["  - \(budget.text)"]
  }

  private static let introduction = [
    "# Default budgets, written by `plumb budgets init`. They also apply without this file. Edit any line.",
    "# A line may have clauses, each after a comma and a space:",
    "#   warn at 1.5 s                  where a warning starts",
    "#   on iPhone12,*                  models; * matches any characters",
    "#   on iPhone 12 and older         a device class, or a model by its name",
    "#   on iOS <17                     OS versions; also iOS 17, iOS >= 17.2",
    "#   in testflight                  the environment",
    "#   label CartView                 one screen, host or view",
    "#   over 7 d                       the last 7 days",
    "#   for last 3 releases            each of the newest releases, over its lifetime",
    "#   with adoption > 10 %           only releases with more adoption than that",
    "#   require data                   not enough data is a warning",
    "# `plumb budgets lint` validates the file; `plumb check --budgets` applies it.",
  ]
}

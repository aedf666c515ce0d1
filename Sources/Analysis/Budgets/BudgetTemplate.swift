internal import Core

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

internal import Telemetry

/// The file a team starts from: every default budget as a line of its own, each with what it is about.
public enum BudgetTemplate {
  /// YAML that reads as the defaults. `app` is a bundle identifier; without one the file is for any app.
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
    "# Budgets, as `plumb budgets init` writes them. Each line says what holds without it; change what you see otherwise.",
    "# Lines take clauses, each behind a comma and a space:",
    "#   warn at 1.5 s                  where a warning starts",
    "#   on iPhone12,*                  models; * stands for anything",
    "#   on iPhone 12 and older         a class of devices, or a model by its name",
    "#   on iOS <17                     systems; also iOS 17, iOS >= 17.2",
    "#   in testflight                  the environment",
    "#   label CartView                 one screen, host or view",
    "#   over 7 d                       the last days",
    "#   for last 3 releases            each of the newest releases, over its own life",
    "#   with adoption > 10 %           only releases that so many use",
    "#   require data                   not enough data is a warning",
    "# `plumb budgets lint` checks the file, `plumb check --budgets` judges by it.",
  ]
}

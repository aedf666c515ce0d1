import Analysis
import Core

/// What Apple says of a metric besides its figures: goals, insights, the heaviest signatures, and why Plumb's number
/// differs.
struct AppStoreNotes: Markup {
  var model: AppStoreModel

  /// The most goals, insights and signatures of a page; the JSON has all.
  private static let most = 20

  func write(to html: inout HTMLWriter) {
    let lines =
      model.gaps.map(AppStoreWords.gap) + goals + model.notes.insights.prefix(Self.most).map(AppStoreWords.insight)
    if !lines.isEmpty {
      html.element("ul", .class("plain")) { html in
        for line in lines { html.element("li", text: ShortenedName.text(line, limit: 2_000)) }
      }
    }
    let signatures = model.notes.signatures.prefix(Self.most)
    guard !signatures.isEmpty else { return }
    html.element("details", Attribute("open", nil)) { html in
      html.element("summary", text: "Apple's top signatures")
      html.write(SignatureTable(signatures: Array(signatures)))
    }
  }

  /// The recommended goals of the groups of devices, then the classes.
  private var goals: [String] {
    let own = model.notes.goals
    let recommended = own.filter { $0.name == AppStoreGoal.recommended && $0.device.hasPrefix("all_") }
      .prefix(Self.most).map(AppStoreWords.recommended)
    let classes = own.filter { $0.name != AppStoreGoal.recommended }
    return recommended + (classes.isEmpty ? [] : [AppStoreWords.classes(classes)])
  }
}

/// The functions that Apple found most often in diagnostics.
struct SignatureTable: Markup {
  var signatures: [AppStoreSignature]

  func write(to html: inout HTMLWriter) {
    html.write(
      Table("Top signatures in App Store Connect", of: signatures, style: "lines") {
        Column.head("Function") { signature, html in
          html.write(Name(signature.signature))
          guard !signature.file.isEmpty else { return }
          html.literal(" ")
          html.element("small") {
            $0.write(Name(signature.file + (signature.line.map { ":\($0)" } ?? "")))
          }
        }
        Column("Kind") { $0.kind.title }.named(nil)
        Column("Version") { $1.write(Name($0.version)) }.named(nil)
        Column.number("Weight") { signature, html in
          html.text(signature.weight.map { Decimal.significant($0) + "\u{A0}%" } ?? Quantity.unknown)
        }
        Column("Trend") { $0.trend }.named(nil)
      })
  }
}

extension AppStoreSignature.Kind {
  fileprivate var title: String {
    switch self {
    case .hangs: "Hangs"
    case .launches: "Launches"
    case .diskWrites: "Disk writes"
    }
  }
}

/// Apple's remarks as sentences.
enum AppStoreWords {
  /// `Apple's p90 of 4.2.0 is 1.42 s, Plumb's 1.31 s: +0.11 s (0.06 s to 0.16 s), of which days +0.02 s, …`
  static func gap(_ gap: AppStoreGapDecomposition) -> String {
    func signed(_ value: Double) -> String {
      let sign = value > 0 ? "+" : value < 0 ? "−" : ""
      return sign + Quantity.text(abs(value), gap.unit)
    }
    func interval(_ estimate: Estimate) -> String {
      guard let low = estimate.low, let high = estimate.high, low < high else { return "" }
      return " (\(signed(low)) to \(signed(high)))"
    }
    func number(_ estimate: Estimate) -> String {
      estimate.value.map { Quantity.text($0, gap.unit) } ?? Quantity.unknown
    }
    let parts = gap.parts.map { "\($0.cause.rawValue) \(signed($0.value))" }
    let rest =
      "the rest \(signed(gap.rest.value ?? 0))\(interval(gap.rest)): people who share analytics, and how both measure"
    let difference = signed(gap.total.value ?? 0) + interval(gap.total)
    return "Apple's p\(gap.rank) of \(gap.version) on \(gap.devices) is \(number(gap.apple)), Plumb's number above "
      + "\(number(gap.measured)): \(difference)"
      + (parts.isEmpty
        ? ". Plumb no longer stores what would explain it." : ", of which \(parts.joined(separator: ", ")), \(rest).")
  }

  /// `Apple's goal: p90 at most 1,200 ms on all iPhones. Based on similar apps.`
  static func recommended(_ goal: AppStoreGoal) -> String {
    let limit = goal.high.map { amount($0, goal.unit) } ?? Quantity.unknown
    let percentile = goal.percentile.isEmpty ? "" : "\(goal.percentile) "
    return "Apple's goal\(date(goal)): \(percentile)at most \(limit) on \(devices(goal.device)). \(goal.detail)"
  }

  /// `Apple's classes: good 0 to 5 %, fair 5 to 10 %, poor from 10 %.`
  static func classes(_ goals: [AppStoreGoal]) -> String {
    let parts = goals.sorted { ($0.low ?? 0) < ($1.low ?? 0) }.map { goal in
      let low = goal.low.flatMap { $0 > 0 ? "from \(amount($0, goal.unit))" : nil }
      let high = goal.high.map { "up to \(amount($0, goal.unit))" }
      return [goal.name, low, high].compactMap { $0 }.joined(separator: " ")
    }
    return "Apple's classes\(goals.first.map(date) ?? ""): \(parts.joined(separator: ", "))."
  }

  /// `Apple's insight: slower with 4.2.0. Launches are 13 % slower.`
  static func insight(_ insight: AppStoreInsight) -> String {
    let kind = insight.kind == .regression ? "regression" : "improvement"
    let versions =
      insight.referenceVersions.isEmpty ? "" : ", compared with \(insight.referenceVersions.joined(separator: ", "))"
    let part = insight.subsystem.isEmpty ? "" : ", \(insight.subsystem)"
    let sentences = ([insight.summary] + insight.populations.prefix(4).map(\.summary)).filter { !$0.isEmpty }
    return "Apple's insight: \(insight.isHighImpact ? "high-impact " : "")\(kind) of \(insight.metric) in "
      + "\(insight.latestVersion)\(part)\(versions). \(sentences.joined(separator: " "))"
  }

  /// Apple's groups of devices in words: `all_iphones` → `all iPhones`. Others have names already.
  private static func devices(_ id: String) -> String {
    switch id {
    case "all_iphones": "all iPhones"
    case "all_ipads": "all iPads"
    case "all_macs": "all Macs"
    default: id
    }
  }

  private static func date(_ goal: AppStoreGoal) -> String {
    goal.imported.map { " (\(Timestamp(milliseconds: $0).day().iso))" } ?? ""
  }

  private static func amount(_ value: Double, _ unit: String) -> String {
    Decimal.significant(value) + (unit.isEmpty ? "" : "\u{A0}\(unit)")
  }
}

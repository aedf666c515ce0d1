import Health
import Storage
import Wording

/// Writes the sentence at the top of an app's page: whether it is within budget and, if not, what is broken.
enum Summary {
  static func sentence(_ vitals: [Vital]) -> String {
    guard !vitals.isEmpty else { return "No budget has data yet." }
    let parts = [
      clause(vitals, .broken, one: "is broken", many: "are broken"),
      clause(vitals, .warning, one: "warns", many: "warn"),
    ].compactMap { $0 }
    let within = vitals.count { $0.result.verdict == .within }
    let unsure = vitals.count { $0.result.verdict == .notEnoughData }
    if parts.isEmpty { return calm(total: vitals.count, within: within, unsure: unsure) }
    var rest: [String] = []
    if within > 0 { rest.append("\(number(within)) \(within == 1 ? "is" : "are") within budget") }
    if unsure > 0 { rest.append("\(number(unsure)) \(unsure == 1 ? "lacks" : "lack") the data to tell") }
    let tail = rest.isEmpty ? "" : " " + capitalized(rest.joined(separator: ", ")) + "."
    return parts.joined(separator: " ") + tail
  }

  /// Sentences about new releases, for problems that the whole app may not show yet: `4.3.0 (1240)`, `breaks five
  /// budgets.`
  static func releases(_ results: [BudgetResult]) -> [(release: String, clause: String)] {
    var broken: [(release: String, count: Int)] = []
    for result in results where result.verdict == .broken {
      guard let release = result.slice.release else { continue }
      if let index = broken.firstIndex(where: { $0.release == release }) {
        broken[index].count += 1
      } else {
        broken.append((release, 1))
      }
    }
    return broken.map { ($0.release, "breaks \(number($0.count)) \($0.count == 1 ? "budget" : "budgets").") }
  }

  private static func calm(total: Int, within: Int, unsure: Int) -> String {
    if within == total {
      return total == 1 ? "The one budget is met." : "\(total == 2 ? "Both" : "All \(number(total))") budgets are met."
    }
    if within == 0 { return "No budget is broken; there is not enough data yet to say that one is met." }
    let met = "\(number(within)) of \(number(total)) \(within == 1 ? "is" : "are") met"
    return "No budget is broken: \(met), \(number(unsure)) \(unsure == 1 ? "lacks" : "lack") the data to tell."
  }

  private static func clause(_ vitals: [Vital], _ verdict: Verdict, one: String, many: String) -> String? {
    let titles = vitals.filter { $0.result.verdict == verdict }.map { PlainName.text($0.title) }
    guard !titles.isEmpty else { return nil }
    return "\(list(shortened(titles))) \(titles.count == 1 ? one : many)."
  }

  /// The texts without repetitions, in the order of their first occurrence.
  static func unique(_ texts: [String]) -> [String] {
    var seen: Set<String> = []
    return texts.filter { seen.insert($0).inserted }
  }

  /// The first four titles, in lower case for use within a sentence, and how many more there are.
  static func shortened(_ titles: [String]) -> [String] {
    var names = titles.prefix(4).enumerated().map { $0.offset == 0 ? $0.element : EventNoun.withinSentence($0.element) }
    if titles.count > 4 { names.append("\(number(titles.count - 4)) more") }
    return names
  }

  /// A list in a sentence: `a`, `a and b`, `a, b and c`.
  static func list(_ names: [String]) -> String {
    guard names.count > 1, let last = names.last else { return names.first ?? "" }
    return names.dropLast().joined(separator: ", ") + " and " + last
  }

  /// A small number as a word.
  static func number(_ value: Int) -> String {
    let words = ["none", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]
    return words.indices.contains(value) ? words[value] : Decimal.grouped(value)
  }

  static func capitalized(_ text: String) -> String { text.prefix(1).uppercased() + text.dropFirst() }
}

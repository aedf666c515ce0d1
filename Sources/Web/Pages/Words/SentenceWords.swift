import Analysis

/// Lists and numbers within sentences.
enum SentenceWords {
  /// The texts without repetitions, in order of first occurrence.
  static func unique(_ texts: [String]) -> [String] {
    var seen: Set<String> = []
    return texts.filter { seen.insert($0).inserted }
  }

  /// The first titles, in lower case for use within a sentence, and how many more there are.
  static func shortened(_ titles: [String], most: Int = 4) -> [String] {
    var names = titles.prefix(most).enumerated().map { index, title in
      index == 0 ? title : EventNoun.withinSentence(title)
    }
    if titles.count > most { names.append("\(number(titles.count - most)) more") }
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

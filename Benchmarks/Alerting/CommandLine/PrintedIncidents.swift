/// The incidents that `plumb check` printed, parsed from its text.
struct PrintedIncidents {
  /// The printed opening and end of one incident, in days since the start.
  struct Lifetime {
    var opened: Double
    var ended: Double?
    var summary: String
  }

  private(set) var all: [String: Lifetime] = [:]
  /// The groups that incidents named.
  private(set) var groups: Set<String> = []
  /// Impossible events: an end without a beginning, or two beginnings.
  private(set) var contradictions: [String] = []

  /// Reads the output of one run. A message begins at the margin. With several incidents, each has an indented line
  /// with its event, and ends with its name.
  mutating func read(_ output: String, on day: Double) {
    var title = ""
    var item: String?
    for line in output.split(separator: "\n") {
      if !line.hasPrefix(" ") { (title, item) = (String(line), nil) }
      if line.hasPrefix("  "), !line.hasPrefix("   "), Self.events.contains(where: line.dropFirst(2).hasPrefix) {
        item = String(line.dropFirst(2))
      }
      let words = line.split(separator: " ")
      guard words.count == 2 else { continue }
      if words[0] == "Incident:" { note(String(words[1]), item ?? title, day) }
      if words[0] == "Group:" { groups.insert(String(words[1])) }
    }
  }

  private static let events = ["opened: ", "worsened: ", "still broken: ", "resolved: ", "retired: "]

  private mutating func note(_ id: String, _ text: String, _ day: Double) {
    let isEnd = ["resolved: ", "retired: ", "RESOLVED ", "RETIRED "].contains(where: text.hasPrefix)
    let isReminder = ["worsened: ", "still broken: ", "MORE ", "STILL "].contains(where: text.hasPrefix)
    switch (all[id], isEnd, isReminder) {
    case (nil, false, false): all[id] = Lifetime(opened: day, summary: text)
    case (.some, true, _): all[id]?.ended = day
    case (.some, _, true): break
    default: contradictions.append("day \(day): unexpected: \(text)")
    }
  }
}

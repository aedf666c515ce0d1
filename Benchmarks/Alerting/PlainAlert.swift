/// The alert of most tools: a limit on the share of crashed sessions in the last hour, checked every five minutes, and
/// on the p90 of the last day's launches.
struct PlainAlert {
  /// The fewest sessions that the hour needs.
  let fewest: Int
  private var hour: [(minute: Int, crashed: Bool)] = []
  private var launches: [(minute: Int, value: Double)] = []
  private var isOpen = false
  /// The minutes of its alarms.
  private(set) var alarms: [Int] = []

  init(fewest: Int) { self.fewest = fewest }

  mutating func add(_ minute: Int, crashed: Bool) { hour.append((minute, crashed)) }

  mutating func add(_ values: [Double], _ minute: Int) { launches += values.map { (minute, $0) } }

  mutating func look(at now: Int) {
    hour.removeAll { $0.minute <= now - 60 }
    // A crash is a second report of a session that is already counted.
    let crashed = hour.count { $0.crashed }
    let sessions = hour.count - crashed
    let isBroken = sessions > 0 && sessions >= fewest && Double(crashed) / Double(sessions) > 0.005
    let isSlow = now.isMultiple(of: 60) && isSlow(at: now)
    if isBroken || isSlow, !isOpen { alarms.append(now) }
    isOpen = isBroken || (isOpen && isSlow)
  }

  private mutating func isSlow(at now: Int) -> Bool {
    launches.removeAll { $0.minute <= now - 1440 }
    guard !launches.isEmpty, launches.count >= fewest else { return false }
    let sorted = launches.map(\.value).sorted()
    return sorted[min(sorted.count - 1, sorted.count * 9 / 10)] > 2000
  }
}

/// The alert that most tools offer: the share of crashed sessions of the last hour above a limit, looked at every five
/// minutes; and the p90 of the last day's launches.
struct PlainAlert {
  /// Sessions that the hour must hold.
  let fewest: Int
  private var hour: [(minute: Int, crashed: Bool)] = []
  private var launches: [(minute: Int, value: Double)] = []
  private var isOpen = false
  /// The minutes at which it spoke up.
  private(set) var alarms: [Int] = []

  init(fewest: Int) { self.fewest = fewest }

  mutating func add(_ minute: Int, crashed: Bool) { hour.append((minute, crashed)) }

  mutating func add(_ values: [Double], _ minute: Int) { launches += values.map { (minute, $0) } }

  mutating func look(at now: Int) {
    hour.removeAll { $0.minute <= now - 60 }
    // A crash comes as a second report of a session that is counted already.
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

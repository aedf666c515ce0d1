/// The share of a release in the sessions of the preceding 24 hours.
struct ReleaseShare {
  private var hours: [Int: [Int: Int]] = [:]

  mutating func add(_ release: Int, minute: Int) { hours[minute / 60, default: [:]][release, default: 0] += 1 }

  func share(of release: Int, at minute: Int) -> Double {
    let recent = (0..<24).compactMap { hours[minute / 60 - $0] }
    let own = recent.reduce(0) { $0 + ($1[release] ?? 0) }
    let all = recent.reduce(0) { $0 + $1.values.reduce(0, +) }
    return all > 0 ? Double(own) / Double(all) : 0
  }
}

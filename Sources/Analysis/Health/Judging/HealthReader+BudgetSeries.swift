import Storage

extension HealthReader {
  /// The series that a budget is evaluated on. Rows of all devices and systems it applies to are merged exactly.
  func series(of budget: Budget, _ scope: Scope) throws -> [Series] {
    let names = storedNames(of: budget.metric)
    let matching = budget.matching(in: scope.slice)
    switch (matching.devices, matching.systems) {
    case (false, false): return try series(scope, metrics: names)
    case (true, false):
      let models = Picked { budget.device?.matches(model: $0) ?? true }
      return try set(scope, metrics: names, dimension: .device, isWhole: true) { models.holds($0.member) }.chosen
    case (false, true):
      let systems = Picked { budget.includes(system: $0) }
      return try set(scope, metrics: names, dimension: .os, isWhole: true) { systems.holds($0.member) }.chosen
    case (true, true):
      // No dimension has device and system together: one query for each model that matches.
      let models = Set(try rows(scope, metrics: names, dimension: .device).map(\.member))
        .filter { budget.device?.matches(model: $0) ?? true }
      let found = try models.sorted().flatMap { model -> [MetricRow] in
        var slice = scope.slice
        slice.device = model
        return try rows(scope.with(slice: slice), metrics: names, dimension: .os)
          .filter { budget.includes(system: $0.member) }
      }
      return SeriesSet(found, isWhole: true).chosen
    }
  }

  /// The members that a budget applies to. Each is matched once, however many rows it has.
  private final class Picked {
    private let isMeant: (String) -> Bool
    private var known: [String: Bool] = [:]

    init(_ isMeant: @escaping (String) -> Bool) { self.isMeant = isMeant }

    func holds(_ member: String) -> Bool {
      if let known = known[member] { return known }
      let isMeant = isMeant(member)
      known[member] = isMeant
      return isMeant
    }
  }
}

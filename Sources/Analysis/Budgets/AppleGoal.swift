public import Core

/// Apple's goal as the limit of a budget: `p90 launch.first_draw <= apple.goal`.
public enum AppleGoal: Sendable, Hashable {
  /// No goal for the budget's metric, statistic and devices was imported, so that the budget cannot be evaluated.
  case unknown
  /// The goal was imported on this day.
  case imported(CalendarDay)

  /// The word in a budget.
  static let word = "apple.goal"
}

extension Budget {
  /// Whether the budget's limit is Apple's goal.
  public var isOfApple: Bool { appleGoal != nil }

  /// Whether the budget has a limit: false while Apple's goal is unknown.
  var hasLimit: Bool { appleGoal != .unknown }

  /// The budget with Apple's goal as its limit. A budget with a number, or without a matching goal, is unchanged.
  ///
  /// A goal that Apple recommends for the budget's percentile and devices comes first, then the upper bound of Apple's
  /// class `good`, which is the same for all of them. Metrics that are a single number take the class first, because
  /// the recommended goals are for percentiles of devices.
  public func resolved(by goals: [AppStoreGoal]) -> Budget {
    guard appleGoal != nil, let metric = Catalogue.metric(named: self.metric) else { return self }
    let own = goals.filter { $0.counterpart == self.metric && $0.high != nil && $0.imported != nil }
    let platforms = Set(own.map(\.platform))
    let platform = platforms.first { $0.lowercased() == "ios" } ?? platforms.min()
    let known = own.filter { $0.platform == platform }
    let percentile = statistic.name ?? "p50"
    let recommended = AppleGoal.ofDevices(
      known.filter { $0.name == AppStoreGoal.recommended && $0.percentile == percentile }, device)
    let good = known.filter { $0.name == "good" && $0.device.isEmpty }
    let order = statistic == .value ? [good, recommended] : [recommended, good]
    let limits = order.first { !$0.isEmpty }?.compactMap { goal -> (value: Double, imported: Int64)? in
      guard let high = goal.high, let factor = AppStoreFigure.factor(from: goal.unit, into: metric.unit) else {
        return nil
      }
      return (high * factor, goal.imported ?? 0)
    }
    // Several models may match; the strictest goal holds for all of them.
    guard let limit = limits?.min(by: { $0.value < $1.value }), limit.value.isFinite else { return self }
    var budget = self
    budget.target = limit.value
    budget.appleGoal = .imported(Timestamp(milliseconds: limit.imported).day())
    return budget
  }
}

extension AppleGoal {
  /// The goals for the devices of a budget: of the models that it names, otherwise of all iPhones, or of all iPads for
  /// a budget on iPads. Without a device, iPhones come first.
  fileprivate static func ofDevices(_ goals: [AppStoreGoal], _ device: DeviceMatch?) -> [AppStoreGoal] {
    let groups = goals.filter { $0.device.hasPrefix(groupPrefix) }
    guard let device else {
      let first = groups.first { $0.device == phones } ?? groups.min { $0.device < $1.device }
      return first.map { [$0] } ?? []
    }
    let models = goals.filter { !$0.device.hasPrefix(groupPrefix) && device.matches(model: $0.device) }
    if !models.isEmpty { return models }
    let family = device.text.lowercased()
    return groups.filter { group in
      // `all_iphones` without the prefix and the plural: `iphone`.
      let name = group.device.dropFirst(groupPrefix.count).dropLast()
      return !name.isEmpty && family.hasPrefix(name.lowercased())
    }
  }

  private static let groupPrefix = "all_"
  private static let phones = "all_iphones"
}

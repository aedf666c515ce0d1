public import Core
import Storage

/// Decides whether people felt a hang, and who can fix it, from its stack, duration and state. `docs/statistics.md`
/// defines the classes.
public struct HangClassifier: Sendable {
  /// The longest time for which a visible app waits in system code, in milliseconds. The system ends an app that does
  /// not react to a change of its scene within 10 s, or to its launch within 20 s. A minute is three times as long.
  /// macOS neither ends nor suspends an app that does not react, so on a Mac no duration decides.
  static let longestWait = 60_000.0
  /// The longest hang of a visible app, in milliseconds. People do not keep a frozen app open for longer.
  static let longest = 300_000.0

  public init() {}

  /// The rule that decides a hang's class. `milliseconds`: its duration; nil if unknown. `isInBackground`: whether the
  /// client states that the app was not visible. `isOnMac`: whether the client states that its OS is macOS.
  ///
  /// The time is linear in the frames of the tree.
  public func rule(
    for calls: CallTree, milliseconds: Double?, isInBackground: Bool, isOnMac: Bool = false
  ) -> HangRule {
    rule(
      for: calls, BinaryOwners(calls), milliseconds: milliseconds, isInBackground: isInBackground, isOnMac: isOnMac)
  }

  func rule(
    for calls: CallTree, _ owners: BinaryOwners, milliseconds: Double?, isInBackground: Bool, isOnMac: Bool
  ) -> HangRule {
    if isInBackground { return .background }
    let duration = isOnMac ? 0 : milliseconds ?? 0
    if duration >= Self.longest { return .tooLong }
    let rule = HangSamples(calls, owners).rule
    return rule.isWait && duration >= Self.longestWait ? .tooLong : rule
  }
}

/// The samples of a hang's main thread by the rule that classes them.
private struct HangSamples {
  private var counts = [Int](repeating: 0, count: Int(UInt8.max) + 1)

  init(_ calls: CallTree, _ owners: BinaryOwners) {
    let path = CallPath(calls, owners)
    // Without an attributed thread, the first one is the main thread.
    let range = path.range
    let own = Self.spent(calls, in: range)
    let roles = calls.binaries.map { HangBinaries.role($0.name) }
    let isOfSystem = calls.binaries.map { $0.origin == .unknown && HangBinaries.isSystem($0.name) }
    var stacks = [HangStack](repeating: HangStack(), count: range.count)
    for index in range {
      let frame = calls.frames[index]
      var stack = HangStack()
      if range.contains(frame.caller), frame.caller < index { stack = stacks[frame.caller - range.lowerBound] }
      let owner = path.owner(index)
      if owner == .app || owner == .unnamed, !(isOfSystem.indices.contains(frame.binary) && isOfSystem[frame.binary]) {
        stack.callOwn(frame.symbol?.function, isEntryPoint: path.isEntry(index))
      } else {
        stack.callSystem(frame.symbol?.function, roles.indices.contains(frame.binary) ? roles[frame.binary] : .other)
      }
      stacks[index - range.lowerBound] = stack
      let count = own[index - range.lowerBound]
      if count > 0 { counts[Int(stack.rule.rawValue)] = counts[Int(stack.rule.rawValue)].saturatingAdd(count) }
    }
  }

  /// The samples that ended in each frame of a range. A frame that calls none has at least one.
  private static func spent(_ calls: CallTree, in range: Range<Int>) -> [Int] {
    var spent = range.map { max(1, calls.frames[$0].samples) }
    let whole = spent
    for index in range {
      let caller = calls.frames[index].caller
      guard range.contains(caller), caller < index else { continue }
      spent[caller - range.lowerBound] -= min(
        spent[caller - range.lowerBound], whole[index - range.lowerBound])
    }
    return spent
  }

  /// The rule with the most samples in the class that decides. The hang was not felt if half of its samples are of the
  /// class *asleep*. Otherwise it is the app's own if at least as many samples are in own code as in the system's.
  var rule: HangRule {
    let asleep = count(.asleep)
    let own = count(.ownCode)
    let system = count(.system)
    guard asleep > 0 || own > 0 || system > 0 else { return .noStack }
    if asleep >= own.saturatingAdd(system) { return most(of: .asleep) }
    return own >= system ? most(of: .ownCode) : most(of: .system)
  }

  private func count(_ wanted: HangClass) -> Int {
    HangRule.allCases.reduce(0) { sum, rule in
      rule.hangClass == wanted ? sum.saturatingAdd(counts[Int(rule.rawValue)]) : sum
    }
  }

  private func most(of wanted: HangClass) -> HangRule {
    HangRule.allCases.filter { $0.hangClass == wanted }.max {
      (counts[Int($0.rawValue)], $1.rawValue) < (counts[Int($1.rawValue)], $0.rawValue)
    } ?? .noStack
  }
}

import Core
import Statistics
import Storage

extension NamedCause {
  /// The part of the use: `iPhone 12 and older with iOS 18.6`, `iOS 18.x`, `region=DE`.
  package var title: String {
    let order: [Dimension] = [.label, .device, .deviceClass, .os, .release, .attribute, .updateAge]
    let texts = order.flatMap { dimension in
      names.filter { $0.dimension == dimension }.map { Self.title(of: $0) }
    }
    return texts.joined(separator: " with ")
  }

  private static func title(of name: Name) -> String {
    switch name.dimension {
    case .os: SystemFilter(name.value).prefix.map { $0 + ".x" } ?? name.value
    case .device: DeviceNames.marketingName(of: name.value).map { "\($0) (\(name.value))" } ?? name.value
    case .updateAge: "the first session after the update"
    default: name.value
    }
  }

  /// The ratio with its interval: `3.1 times (2.4–4.0)`.
  package var ratioText: String {
    func number(_ value: Double) -> String { Decimal.significant(value) }
    guard let value = ratio.value, let low = ratio.low, let high = ratio.high else { return Quantity.unknown }
    return "\(number(value)) times (\(number(low))–\(number(high)))"
  }

  /// The share of the change that the part explains: `74 % (61–88 %)`; nil if it is unknown.
  package var explainedText: String? {
    guard let value = explained.value, let low = explained.low, let high = explained.high else { return nil }
    func percent(_ value: Double) -> String { "\(Int((value * 100).rounded()))" }
    return "\(percent(value))\u{A0}% (\(percent(low))–\(percent(high))\u{A0}%)"
  }
}

extension CauseList {
  /// Each cause as a clause: `iPhone 13 with iOS 18.6: 3.1 times (2.4–4.0) worse than the rest, 12 % of use, explains
  /// 74 % (61–88 %) of the change`.
  package var sentences: [String] {
    causes.map { cause in
      let share = Quantity.text(cause.useShare, .ratio)
      let explains =
        cause.explainedText.map { ", explains \($0) of \(isOfGroup ? "the reports" : "the change")" } ?? ""
      let compared = isOfGroup ? "the reports of the rest for the same use" : "worse than the rest"
      return "\(cause.title): \(cause.ratioText) \(compared), \(share) of use\(explains)"
    }
  }

  /// Lines about several metrics, each beginning with the title of its metric, after an empty line.
  static func lines(_ lists: [(title: String, list: CauseList?)]) -> [String] {
    let lines = lists.flatMap { title, list -> [String] in
      guard let list else { return [] }
      return (list.causes.isEmpty ? [list.answer] : list.sentences).map { "\(title): \($0)" }
    }
    return lines.isEmpty ? [] : [""] + lines
  }

  /// What stands out first, or that nothing does, as a clause.
  package var answer: String {
    if let first = sentences.first { return first }
    guard knowsDevices else {
      return "the sessions do not state device and OS version, so nothing can be said about these"
    }
    guard tested > 0 else {
      let events = isOfGroup ? "reports" : "events"
      return "too few \(events) in like parts of the use to tell on which devices and OS versions"
    }
    return isOfGroup
      ? "nothing stands out: reports come from all devices and OS versions in proportion to their use"
      : isWorse ? "nothing stands out: it is worse everywhere" : "nothing stands out"
  }

  package var isOfGroup: Bool { release == nil }
}

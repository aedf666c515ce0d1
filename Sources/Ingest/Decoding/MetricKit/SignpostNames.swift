internal import Core

/// The names of signposts that a decoder has read, because an app's signposts have the same names in every payload. Each
/// place has the latest name that belongs there, so no payload makes a search longer.
final class SignpostNames {
  private var places = [SignpostName?](repeating: nil, count: 1 << bits)

  private static let bits = 6

  /// The name of a signpost. Throws if it has none.
  func name(of signpost: JSONObject) throws -> SignpostName {
    let category = try signpost["signpostCategory"]?.text()
    let name = try signpost.required("signpostName").text()
    let hash = ((category?.hashOfEnds ?? 0) ^ name.hashOfEnds) &* 0x9E37_79B9_7F4A_7C15
    let place = Int(truncatingIfNeeded: hash &>> UInt64(64 - Self.bits))
    if let known = places[place], known.isMade(of: category, name) { return known }
    let new = SignpostName(category, name)
    // A longer one would keep its memory until another one replaces it.
    if (category?.count ?? 0) + name.count <= SignpostName.longestBase { places[place] = new }
    return new
  }
}

/// A signpost's name, and the metrics with it: `signpost.<category>.<name>` and a suffix.
final class SignpostName {
  /// The category and name as sent.
  private let category: [UInt8]?
  private let name: [UInt8]
  /// The metric's name without a suffix, in ASCII.
  private let base: [UInt8]
  private var metrics = [MetricReference?](repeating: nil, count: SignpostFigure.allCases.count)

  /// The longest name without a suffix, in bytes. The longest suffix is `.hitch_ratio`.
  fileprivate static let longestBase = DecodingLimits.metricNameBytes - 12

  fileprivate init(_ category: BorrowedJSONString?, _ name: BorrowedJSONString) {
    var bytes = Array("signpost".utf8)
    if let category { Self.append(category, to: &bytes) }
    Self.append(name, to: &bytes)
    base = bytes
    self.category = category.map { Array($0.bytes) }
    self.name = Array(name.bytes)
  }

  fileprivate func isMade(of category: BorrowedJSONString?, _ name: BorrowedJSONString) -> Bool {
    guard name == self.name else { return false }
    guard let own = self.category else { return category == nil }
    return category.map { $0 == own } ?? false
  }

  /// The metric of a figure. Its name is built when it is first asked for.
  func metric(_ figure: SignpostFigure) -> MetricReference {
    if let known = metrics[figure.rawValue] { return known }
    let name = String(decoding: base, as: UTF8.self) + figure.suffix
    let metric = MetricReference.custom(name: name, unit: figure.unit, kind: figure.kind)
    metrics[figure.rawValue] = metric
    return metric
  }

  /// Appends one part of the name. `_` replaces each scalar that metric names do not allow. An empty part is omitted.
  private static func append(_ part: BorrowedJSONString, to bytes: inout [UInt8]) {
    if part.count > 0, bytes.count < longestBase { bytes.append(UInt8(ascii: ".")) }
    for byte in part.bytes where byte & 0xC0 != 0x80 && bytes.count < longestBase {
      bytes.append(MetricNameRule.allows(byte) ? byte : UInt8(ascii: "_"))
    }
  }
}

/// What is measured of a signpost's intervals, or the number of its events.
enum SignpostFigure: Int, CaseIterable {
  case duration
  case cpu
  case memory
  case writes
  case hitchRatio
  /// The number of events of a signpost without intervals.
  case count

  fileprivate var suffix: String {
    switch self {
    case .duration: ""
    case .cpu: ".cpu"
    case .memory: ".memory"
    case .writes: ".writes"
    case .hitchRatio: ".hitch_ratio"
    case .count: ".count"
    }
  }

  fileprivate var unit: MetricUnit {
    switch self {
    case .duration: .milliseconds
    case .cpu: .seconds
    case .memory, .writes: .bytes
    case .hitchRatio: .millisecondsPerSecond
    case .count: .count
    }
  }

  /// Durations, memory and hitch ratios are distributions, the others sums.
  fileprivate var kind: Metric.Kind {
    switch self {
    case .duration, .memory, .hitchRatio: .distribution
    case .cpu, .writes, .count: .counter
    }
  }
}

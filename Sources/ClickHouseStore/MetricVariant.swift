import Core

/// The unit and kind that distinguish metrics of one name: 0 for those of the catalogue.
enum MetricVariant {
  static func number(of metric: MetricReference) -> Int64 {
    guard case .custom(_, let unit, let kind) = metric else { return 0 }
    return 1 + (Int64(unit.rawValue) << 1 | (kind == .distribution ? 0 : 1))
  }

  static func metric(named name: String, _ variant: Int64) -> MetricReference? {
    if variant == 0 { return Catalogue.metric(named: name).map { .known($0.number) } }
    guard variant > 0, let unit = UInt8(exactly: (variant - 1) >> 1).flatMap(MetricUnit.init) else { return nil }
    return .custom(name: name, unit: unit, kind: (variant - 1) & 1 == 0 ? .distribution : .counter)
  }
}

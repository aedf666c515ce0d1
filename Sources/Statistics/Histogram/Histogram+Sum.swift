import Telemetry

extension Histogram {
  /// The sum of several distributions of one metric: what merging one after the other gives. Samples come in bins that lie
  /// close together, so they are added up in a row of counters, and not by merging one sorted list after the other.
  public init(sum parts: [Histogram]) {
    self.init(scheme: parts.first?.scheme ?? .logarithmic)
    guard parts.count > 2, let row = BinRow(parts, scheme: scheme) else {
      for part in parts { merge(part) }
      return
    }
    for var part in parts {
      part.bins = SortedCounts()
      merge(part)
    }
    bins = row.counts
  }
}

/// A counter for each bin from the lowest to the highest.
private struct BinRow {
  private var counters: [Int]
  private let lowest: Int32

  /// The most counters worth having: bins that lie farther apart are merged as lists.
  private static let widest = 4_096

  /// Nil where there are no bins, where they lie too far apart, or where they are of several schemes.
  init?(_ parts: [Histogram], scheme: BinScheme) {
    var (low, high) = (Int32.max, Int32.min)
    for part in parts {
      guard part.scheme == scheme else { return nil }
      if let first = part.bins.entries.first, let last = part.bins.entries.last {
        low = min(low, first.index)
        high = max(high, last.index)
      }
    }
    guard low <= high, Int(high) - Int(low) < Self.widest else { return nil }
    lowest = low
    counters = [Int](repeating: 0, count: Int(high) - Int(low) + 1)
    for part in parts {
      for bin in part.bins.entries {
        let place = Int(bin.index) - Int(low)
        counters[place] = counters[place].saturatingAdd(bin.count)
      }
    }
  }

  /// The bins that hold anything, in order.
  var counts: SortedCounts<Bin> {
    var entries: [Bin] = []
    for (place, count) in counters.enumerated() where count > 0 {
      entries.append(Bin(index: lowest + Int32(place), count: count))
    }
    return SortedCounts(sorted: entries)
  }
}

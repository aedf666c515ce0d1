import Core
import Statistics
import Storage

/// An aggregate as numbers with keys, which ClickHouse adds up without knowing their meaning. Adding the numbers of
/// several aggregates, and taking the minimum and maximum of their bounds, gives those of the merged aggregate.
struct FactSums {
  /// The kind of the aggregate. Raw values are stored: never change one.
  enum Form: UInt8 {
    /// A distribution with logarithmic bins.
    case logarithmic = 1
    case counter = 2
    case pair = 3
    case sessions = 4
    /// A distribution of whole numbers.
    case integer = 5
  }

  let form: Form
  /// The numbers by key. A number of up to 128 bits has one entry for each 32 bits that are not 0, so that a sum over
  /// thousands of millions of rows does not overflow.
  var entries: [(key: Key, sum: Int64)] = []
  /// The smallest and the largest value of a distribution, infinite without values; nil for other forms.
  var lowest: Double?
  var highest: Double?
  /// The greatest coarseness of a distribution's spans; nil for 0.
  var coarseness: Double?

  /// The key of a number. A span's key consists of the bits of its edges, which are not negative; other keys have the
  /// highest bit set.
  struct Key: Hashable {
    var low: UInt64
    var high: UInt64

    fileprivate static let numbers: UInt64 = 1 << 63
    fileprivate static let bins: UInt64 = 1 << 63 | 1
  }
}

extension FactSums {
  /// Creates the numbers of an empty aggregate.
  init(form: Form) { self.form = form }

  /// The numbers of an aggregate; nil for an aggregate of users, which are stored one by one.
  init?(_ aggregate: Aggregate) {
    switch aggregate {
    case .distribution(let histogram):
      let sums = histogram.sums
      form = sums.scheme == .logarithmic ? .logarithmic : .integer
      append([sums.zeroCount, sums.sum, sums.clusters, sums.squares, sums.between, sums.estimated])
      for bin in sums.bins {
        entries.append((Key(low: UInt64(bitPattern: Int64(bin.index)), high: Key.bins), bin.count))
      }
      for span in sums.spans {
        entries.append((Key(low: span.low.bitPattern, high: span.high.bitPattern), span.count))
      }
      // The daily row of fine bins has the moments of its payloads and no values. Without bounds ClickHouse would read
      // 0.
      (lowest, highest) = (sums.lowest ?? .infinity, sums.highest ?? -.infinity)
      coarseness = sums.coarseness == 0 ? nil : Double(sums.coarseness)
    case .counter(let sum):
      form = .counter
      append([Int128(sum.steps), Int128(sum.payloads)])
    case .pair(let pair):
      form = .pair
      append(Self.numbers(of: pair))
    case .sessions(let tally):
      form = .sessions
      append(SessionOutcome.allCases.map { Int128(tally[$0]) })
      append(
        Self.numbers(of: tally.userDays) + Self.numbers(of: tally.hangs)
          + [Int128(tally.knownUserDays), Int128(tally.crashedUserDays)], from: SessionOutcome.allCases.count)
    case .users: return nil
    }
  }

  /// The aggregate with these numbers.
  var aggregate: Aggregate {
    var numbers = [Int128](repeating: 0, count: 64)
    var (bins, spans): ([(index: Int32, count: Int64)], [(low: Double, high: Double, count: Int64)]) = ([], [])
    for (key, sum) in entries {
      switch key.high {
      case Key.numbers:
        let (number, part) = (Int(key.low / 4) % numbers.count, key.low % 4)
        numbers[number] = numbers[number].saturatingAdd(Int128(sum).saturatingMultiply(Int128(1) << Int128(32 * part)))
      case Key.bins:
        if let index = Int32(exactly: Int64(bitPattern: key.low)) { bins.append((index, sum)) }
      default: spans.append((Double(bitPattern: key.low), Double(bitPattern: key.high), sum))
      }
    }
    switch form {
    case .logarithmic, .integer:
      var sums = HistogramSums(scheme: form == .logarithmic ? .logarithmic : .integer)
      (sums.zeroCount, sums.sum, sums.clusters) = (numbers[0], numbers[1], numbers[2])
      (sums.squares, sums.between, sums.estimated) = (numbers[3], numbers[4], numbers[5])
      (sums.bins, sums.spans, sums.lowest, sums.highest) = (bins, spans, lowest, highest)
      sums.coarseness = UInt8(clamping: Int(saturating: coarseness ?? 0))
      return .distribution(Histogram(sums))
    case .counter:
      return .counter(CounterSum(steps: Int64(clamping: numbers[0]), payloads: Int64(clamping: numbers[1])))
    case .pair: return .pair(Self.pair(numbers[...]))
    case .sessions:
      var tally = SessionTally()
      for (outcome, number) in zip(SessionOutcome.allCases, numbers) { tally[outcome] = Int64(clamping: number) }
      let rest = numbers.dropFirst(SessionOutcome.allCases.count)
      tally.userDays = Self.pair(rest)
      tally.hangs = Self.pair(rest.dropFirst(6))
      tally.knownUserDays = Int64(clamping: rest.dropFirst(12).first ?? 0)
      tally.crashedUserDays = Int64(clamping: rest.dropFirst(13).first ?? 0)
      return .sessions(tally)
    }
  }

  /// Appends numbers with indices from `first` on: each in parts of 32 bits, all with the number's sign.
  private mutating func append(_ numbers: [Int128], from first: Int = 0) {
    for (index, number) in numbers.enumerated() where number != 0 {
      for part in 0..<4 {
        let bits = Int64(truncatingIfNeeded: number.magnitude >> UInt128(32 * part)) & 0xFFFF_FFFF
        guard bits != 0 else { continue }
        let key = Key(low: UInt64((first + index) * 4 + part), high: Key.numbers)
        entries.append((key, number < 0 ? -bits : bits))
      }
    }
  }

  private static func numbers(of pair: RatioMoments) -> [Int128] {
    [Int128(pair.clusters), Int128(pair.x), Int128(pair.y), pair.xx, pair.yy, pair.xy]
  }

  private static func pair(_ numbers: ArraySlice<Int128>) -> RatioMoments {
    let numbers = Array(numbers)
    return RatioMoments(
      clusters: Int(clamping: numbers[0]), x: Int64(clamping: numbers[1]), y: Int64(clamping: numbers[2]),
      xx: numbers[3], yy: numbers[4], xy: numbers[5])
  }
}

/// The meaning of a row with a user. Raw values are stored together with those of `FactSums.Form`: never change one.
enum UserForm: UInt8 {
  /// The user has a session.
  case all = 6
  /// The user has a session that crashed.
  case crashed = 7
}

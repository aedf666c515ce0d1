/// The values of one column in ClickHouse's `Native` format.
///
/// It supports the types of Plumb's tables and of sums over them: integers of up to 64 bits, Float64, String, states of
/// `min` and `max`, and arrays of these.
public indirect enum NativeColumn: Sendable, Equatable {
  /// Integers of one type. The bits of an unsigned 64-bit integer are in an `Int64`.
  case integers(IntegerType, [Int64])
  case doubles([Double])
  /// Texts. Bytes that are not UTF-8 become U+FFFD.
  case strings([String])
  /// States of `AggregateFunction(min, Float64)` or of `max`; nil for the state of no values.
  case extremes(Extreme, [Double?])
  /// Arrays: for each row the index after its last element in the column of all elements.
  case arrays(ends: [Int], NativeColumn)

  /// The integer types by their ClickHouse names.
  public enum IntegerType: String, Sendable, CaseIterable {
    case uInt8 = "UInt8"
    case uInt16 = "UInt16"
    case uInt32 = "UInt32"
    case uInt64 = "UInt64"
    case int8 = "Int8"
    case int16 = "Int16"
    case int32 = "Int32"
    case int64 = "Int64"
  }

  /// The aggregate functions whose states a column may contain.
  public enum Extreme: String, Sendable, CaseIterable {
    case min
    case max

    /// The name of the state's type.
    var type: String { "AggregateFunction(\(rawValue), Float64)" }
  }

  /// The number of rows.
  public var count: Int {
    switch self {
    case .integers(_, let values): values.count
    case .doubles(let values): values.count
    case .strings(let values): values.count
    case .extremes(_, let values): values.count
    case .arrays(let ends, _): ends.count
    }
  }

  /// The ClickHouse name of the column's type.
  var type: String {
    switch self {
    case .integers(let type, _): type.rawValue
    case .doubles: "Float64"
    case .strings: "String"
    case .extremes(let extreme, _): extreme.type
    case .arrays(_, let elements): "Array(\(elements.type))"
    }
  }

  /// Creates an empty column of a type by its ClickHouse name; nil for an unsupported type.
  init?(type: String) {
    let type = type.filter { $0 != " " }
    if let integer = IntegerType(rawValue: type) {
      self = .integers(integer, [])
    } else if type == "Float64" {
      self = .doubles([])
    } else if type == "String" {
      self = .strings([])
    } else if let extreme = Extreme.allCases.first(where: { $0.type.filter { $0 != " " } == type }) {
      self = .extremes(extreme, [])
    } else if type.hasPrefix("Array("), type.hasSuffix(")"), type.utf8.count < 100,
      let elements = NativeColumn(type: String(type.dropFirst(6).dropLast()))
    {
      self = .arrays(ends: [], elements)
    } else {
      return nil
    }
  }
}

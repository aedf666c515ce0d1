internal import Core

/// A table of rows in ClickHouse's `Native` format: the columns of an insert or of an answer.
///
/// The format is the server's own for blocks in memory: the numbers of columns and rows as varints, then the name, type
/// and values of each column. It is the only format in which an insert of one block into one partition is atomic.
public struct NativeBlock: Sendable, Equatable {
  public struct Column: Sendable, Equatable {
    let name: String
    public fileprivate(set) var values: NativeColumn

    public init(_ name: String, _ values: NativeColumn) {
      self.name = name
      self.values = values
    }
  }

  public private(set) var columns: [Column]

  /// Creates a block of columns, which must all have the same number of rows.
  public init(_ columns: [Column]) {
    precondition(Set(columns.map(\.values.count)).count <= 1, "columns of different lengths")
    self.columns = columns
  }

  /// The number of rows.
  public var count: Int { columns.first?.values.count ?? 0 }

  /// The block as bytes, for an insert.
  public func encoded() -> [UInt8] {
    var writer = ByteWriter(reserving: 1 << 16)
    writer.count(columns.count)
    writer.count(count)
    for column in columns {
      writer.string(column.name)
      writer.string(column.values.type)
      column.values.encode(into: &writer)
    }
    return writer.bytes
  }

  /// The error for bytes that are not blocks.
  package struct Unreadable: Error {
    let description: String
  }

  /// Reads all blocks of an answer as one. An empty answer is a block without columns; a query without rows returns it.
  package init(decoding bytes: [UInt8]) throws(Unreadable) {
    // A typed error does not pass through the closure of `withUnsafeBytes`.
    let result = bytes.withUnsafeBytes { buffer in
      Result { () throws(Unreadable) in try Self.decode(buffer) }
    }
    self = try result.get()
  }

  /// Reads all blocks into the columns of the first one, because an answer may consist of very many small blocks.
  private static func decode(_ buffer: UnsafeRawBufferPointer) throws(Unreadable) -> NativeBlock {
    var reader = ByteReader(buffer)
    var columns: [Column] = []
    var types: [UnsafeRawBufferPointer] = []
    var memory = NativeColumn.Memory(left: mostMemory)
    do {
      while reader.remaining > 0 {
        let (width, count) = (try reader.count(), try reader.count())
        if width == 0, count == 0 { continue }
        let isFirst = columns.isEmpty
        guard width > 0, isFirst ? width <= mostColumns : width == columns.count else { throw differ }
        for index in 0..<width {
          let (name, type) = (try reader.slice(), try reader.slice())
          if isFirst {
            guard let empty = NativeColumn(type: String(decoding: type, as: UTF8.self)) else {
              throw Unreadable(description: "the column \(shown(name)) has the unsupported type \(shown(type))")
            }
            columns.append(Column(String(decoding: name, as: UTF8.self), empty))
            types.append(type)
          }
          guard columns[index].name.utf8.elementsEqual(name) else { throw differ }
          guard types[index].elementsEqual(type) else {
            throw Unreadable(description: "the type of the column \(shown(name)) differs between blocks")
          }
          try columns[index].values.append(count, from: &reader, &memory)
        }
      }
    } catch let error as Unreadable {
      throw error
    } catch {
      throw Unreadable(
        description: memory.left < 0
          ? "its values need more than \(mostMemory >> 20) MiB of memory" : "its blocks are truncated or damaged")
    }
    return NativeBlock(columns)
  }

  private static let differ = Unreadable(description: "its blocks have different columns or more than \(mostColumns)")

  private static func shown(_ bytes: UnsafeRawBufferPointer) -> String {
    String(decoding: bytes.prefix(100), as: UTF8.self)
  }

  private static let mostColumns = 1_000
  /// The maximum memory for the values of an answer. Small integers and short texts need more memory than bytes.
  private static let mostMemory = 512 << 20
}

extension NativeBlock {
  /// The error for a column that is missing or has another type than expected.
  public struct MissingColumn: Error, Sendable, Equatable, CustomStringConvertible {
    public let description: String
  }

  /// The integers of a column; empty if the block has no rows.
  func integers(_ name: String) throws(MissingColumn) -> [Int64] {
    guard let column = try column(name) else { return [] }
    guard case .integers(_, let values) = column else { throw mismatch(name, column, "integers") }
    return values
  }

  /// The texts of a column; empty if the block has no rows.
  func strings(_ name: String) throws(MissingColumn) -> [String] {
    guard let column = try column(name) else { return [] }
    guard case .strings(let values) = column else { throw mismatch(name, column, "texts") }
    return values
  }

  /// The numbers of a Float64 column; empty if the block has no rows.
  func doubles(_ name: String) throws(MissingColumn) -> [Double] {
    guard let column = try column(name) else { return [] }
    guard case .doubles(let values) = column else { throw mismatch(name, column, "numbers") }
    return values
  }

  /// The arrays of integers in a column: the range of each row's elements, and all elements.
  public func integerArrays(_ name: String) throws(MissingColumn) -> (ranges: [Range<Int>], elements: [Int64]) {
    guard let column = try column(name) else { return ([], []) }
    guard case .arrays(let ends, .integers(_, let elements)) = column else {
      throw mismatch(name, column, "arrays of integers")
    }
    return (zip([0] + ends, ends).map { $0..<$1 }, elements)
  }

  private func column(_ name: String) throws(MissingColumn) -> NativeColumn? {
    if let found = columns.first(where: { $0.name == name }) { return found.values }
    guard columns.isEmpty else { throw MissingColumn(description: "the answer has no column \(name)") }
    return nil
  }

  private func mismatch(_ name: String, _ column: NativeColumn, _ wanted: String) -> MissingColumn {
    MissingColumn(description: "the column \(name) of the answer has the type \(column.type), not \(wanted)")
  }
}

internal import Core

/// A table of rows in ClickHouse's format `Native`: the columns of an insert, or of an answer.
///
/// The format is the server's own for blocks in memory: the numbers of columns and rows as varints, then for each column its
/// name, its type and its values. Of all formats it alone makes an insert of one block into one partition atomic.
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

  /// A block of columns, which all have the same number of rows.
  public init(_ columns: [Column]) {
    precondition(Set(columns.map(\.values.count)).count <= 1, "columns of different lengths")
    self.columns = columns
  }

  /// The number of rows.
  public var count: Int { columns.first?.values.count ?? 0 }

  /// The block as bytes, which an insert may hold.
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

  /// Why bytes are no blocks.
  package struct Unreadable: Error {
    let description: String
  }

  /// Reads the blocks of an answer as one. No bytes are a block without columns: so answers a query without rows.
  package init(decoding bytes: [UInt8]) throws(Unreadable) {
    // A typed error does not pass through the closure of `withUnsafeBytes`.
    let result = bytes.withUnsafeBytes { buffer in
      Result { () throws(Unreadable) in try Self.decode(buffer) }
    }
    self = try result.get()
  }

  /// Reads all blocks into the columns of the first: an answer may consist of very many small ones.
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
              throw Unreadable(description: "the column \(shown(name)) has the type \(shown(type)), which is not read")
            }
            columns.append(Column(String(decoding: name, as: UTF8.self), empty))
            types.append(type)
          }
          guard columns[index].name.utf8.elementsEqual(name) else { throw differ }
          guard types[index].elementsEqual(type) else {
            throw Unreadable(description: "the column \(shown(name)) changes its type")
          }
          try columns[index].values.append(count, from: &reader, &memory)
        }
      }
    } catch let error as Unreadable {
      throw error
    } catch {
      throw Unreadable(
        description: memory.left < 0
          ? "its values take more than \(mostMemory >> 20) MiB of memory" : "its blocks are cut or damaged")
    }
    return NativeBlock(columns)
  }

  private static let differ = Unreadable(description: "its blocks have different columns, or more than \(mostColumns)")

  private static func shown(_ bytes: UnsafeRawBufferPointer) -> String {
    String(decoding: bytes.prefix(100), as: UTF8.self)
  }

  private static let mostColumns = 1_000
  /// The most memory that the values of an answer may take. Small integers and short texts take more than they have bytes.
  private static let mostMemory = 512 << 20
}

extension NativeBlock {
  /// Why a column cannot be read as asked: there is none of that name, or it has another type.
  public struct MissingColumn: Error, Sendable, Equatable, CustomStringConvertible {
    public let description: String
  }

  /// The integers of a column; none if the block has no rows.
  func integers(_ name: String) throws(MissingColumn) -> [Int64] {
    guard let column = try column(name) else { return [] }
    guard case .integers(_, let values) = column else { throw mismatch(name, column, "integers") }
    return values
  }

  /// The texts of a column; none if the block has no rows.
  func strings(_ name: String) throws(MissingColumn) -> [String] {
    guard let column = try column(name) else { return [] }
    guard case .strings(let values) = column else { throw mismatch(name, column, "texts") }
    return values
  }

  /// The numbers of a Float64 column; none if the block has no rows.
  func doubles(_ name: String) throws(MissingColumn) -> [Double] {
    guard let column = try column(name) else { return [] }
    guard case .doubles(let values) = column else { throw mismatch(name, column, "numbers") }
    return values
  }

  /// The arrays of integers in a column: where each row's elements are, and all elements.
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

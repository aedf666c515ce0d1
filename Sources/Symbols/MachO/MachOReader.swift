/// Reads the headers of Mach-O files, thin and fat. Every byte may be hostile: nothing is believed that was not compared
/// with the size of the file, and no number is added up unchecked.
enum MachOReader {
  /// Architectures of one file. A Java class file begins like a fat one, with a greater number here.
  private static let mostArchitectures: UInt64 = 32

  /// What the file holds, one per architecture.
  static func images(in file: some RandomAccessBytes) throws(MachOProblem) -> [MachOImage] {
    guard let magic = file.bytes(at: 0, 4) else { throw .notMachO }
    switch magic {
    case [0xCE, 0xFA, 0xED, 0xFE], [0xCF, 0xFA, 0xED, 0xFE]:
      return [try MachOSliceReader(file, 0..<file.count).checkedImage()]
    case [0xCA, 0xFE, 0xBA, 0xBE]: return try architectures(of: file, entrySize: 20)
    case [0xCA, 0xFE, 0xBA, 0xBF]: return try architectures(of: file, entrySize: 32)
    default: throw .notMachO
    }
  }

  /// Whether a file may begin like this. Four bytes are enough.
  static func isPossible(_ start: some Sequence<UInt8>) -> Bool {
    [
      [0xCE, 0xFA, 0xED, 0xFE], [0xCF, 0xFA, 0xED, 0xFE], [0xCA, 0xFE, 0xBA, 0xBE], [0xCA, 0xFE, 0xBA, 0xBF],
    ].contains(Array(start.prefix(4)))
  }

  /// A fat file's table, big-endian whatever is in it.
  private static func architectures(
    of file: some RandomAccessBytes, entrySize: UInt64
  ) throws(MachOProblem) -> [MachOImage] {
    guard let header = file.bytes(at: 4, 4) else { throw .notMachO }
    let number = header.reduce(0) { $0 << 8 | UInt64($1) }
    guard (1...mostArchitectures).contains(number) else { throw .notMachO }
    guard let table = file.bytes(at: 8, number * entrySize) else {
      throw .damaged("its list of \(number) architectures does not end within it")
    }
    func word(_ offset: Int, _ size: Int) -> UInt64 { table[offset..<offset + size].reduce(0) { $0 << 8 | UInt64($1) } }
    let isWide = entrySize == 32
    var images: [MachOImage] = []
    for place in stride(from: 0, to: table.count, by: Int(entrySize)) {
      let offset = word(place + 8, isWide ? 8 : 4)
      let size = word(place + (isWide ? 16 : 12), isWide ? 8 : 4)
      let (end, over) = offset.addingReportingOverflow(size)
      guard !over, end <= UInt64(file.count) else {
        throw .damaged("an architecture ends at byte \(over ? "2^64" : String(end)) of \(file.count)")
      }
      images.append(try MachOSliceReader(file, Int(offset)..<Int(end)).checkedImage())
    }
    return images
  }
}

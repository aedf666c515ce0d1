/// A reader of the headers of Mach-O files, thin and fat. Files may be hostile: every length and offset is checked
/// against the file's size, and additions are checked for overflow.
enum MachOReader {
  /// The maximum number of architectures in one file. A Java class file starts like a fat file, with a larger number
  /// here.
  private static let mostArchitectures: UInt64 = 32

  /// The architectures in a file.
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

  /// Whether a file may be Mach-O, judged by its first four bytes.
  static func isPossible(_ start: some Sequence<UInt8>) -> Bool {
    [
      [0xCE, 0xFA, 0xED, 0xFE], [0xCF, 0xFA, 0xED, 0xFE], [0xCA, 0xFE, 0xBA, 0xBE], [0xCA, 0xFE, 0xBA, 0xBF],
    ].contains(Array(start.prefix(4)))
  }

  /// Reads the table of a fat file, which is always big-endian.
  private static func architectures(
    of file: some RandomAccessBytes, entrySize: UInt64
  ) throws(MachOProblem) -> [MachOImage] {
    guard let header = file.bytes(at: 4, 4) else { throw .notMachO }
    let number = header.reduce(0) { $0 << 8 | UInt64($1) }
    guard (1...mostArchitectures).contains(number) else { throw .notMachO }
    guard let table = file.bytes(at: 8, number * entrySize) else {
      throw .damaged("its list of \(number) architectures extends beyond its end")
    }
    func word(_ offset: Int, _ size: Int) -> UInt64 { table[offset..<offset + size].reduce(0) { $0 << 8 | UInt64($1) } }
    let isWide = entrySize == 32
    var images: [MachOImage] = []
    for entry in stride(from: 0, to: table.count, by: Int(entrySize)) {
      let offset = word(entry + 8, isWide ? 8 : 4)
      let size = word(entry + (isWide ? 16 : 12), isWide ? 8 : 4)
      let (end, over) = offset.addingReportingOverflow(size)
      guard !over, end <= UInt64(file.count) else {
        throw .damaged("an architecture ends at byte \(over ? "2^64" : String(end)) of \(file.count)")
      }
      images.append(try MachOSliceReader(file, Int(offset)..<Int(end)).checkedImage())
    }
    return images
  }
}

/// A reader of the header and load commands of one architecture. They are little-endian on all of Apple's platforms
/// since 2006.
struct MachOSliceReader<File: RandomAccessBytes> {
  private let file: File
  private let range: Range<Int>
  private var image: MachOImage
  /// The offset and size of `__debug_info` in the slice.
  private var debugInformation: (offset: UInt64, size: UInt64)?

  /// The maximum size of load commands, in bytes: more than any linker writes.
  private static var mostCommandBytes: UInt64 { 8 << 20 }

  init(_ file: File, _ range: Range<Int>) {
    self.file = file
    self.range = range
    image = MachOImage(
      uuid: "", architecture: "", isDebugFile: false, hasDebugInformation: false, textAddress: 0, code: 0..<0,
      range: range)
  }

  /// Reads the architecture and checks that every segment and section is within the slice, which detects truncated
  /// files.
  func checkedImage() throws(MachOProblem) -> MachOImage {
    var reader = self
    try reader.read()
    guard !reader.image.uuid.isEmpty else { throw .damaged("it has no UUID") }
    try reader.checkFirstUnit()
    return reader.image
  }

  private mutating func read() throws(MachOProblem) {
    guard let header = bytes(0, 28).map(LittleEndianBytes.init) else { throw .damaged("it ends within its header") }
    let is64 = header.word(0) == 0xFEED_FACF
    guard is64 || header.word(0) == 0xFEED_FACE else { throw .damaged("an architecture in it is not Mach-O") }
    image.architecture = MachOArchitecture.name(type: header.word(4), subtype: header.word(8))
    image.isDebugFile = header.word(12) == 0xA
    let size = UInt64(header.word(20))
    guard size <= Self.mostCommandBytes, let all = bytes(is64 ? 32 : 28, size).map(LittleEndianBytes.init) else {
      throw .damaged("it ends within its \(size) bytes of load commands")
    }
    var at = 0
    for _ in 0..<header.word(16) {
      guard at + 8 <= all.count else { throw .damaged("its load commands end too early") }
      let length = Int(all.word(at + 4))
      guard length >= 8, length <= all.count - at else { throw .damaged("a load command is \(length) bytes long") }
      try read(all.part(at, length))
      at += length
    }
  }

  private mutating func read(_ command: LittleEndianBytes) throws(MachOProblem) {
    switch command.word(0) {
    case 0x1B where command.count >= 24:
      let uuid = command.part(8, 16).bytes
      if uuid.contains(where: { $0 != 0 }) { image.uuid = UUIDText.upperCase(uuid) }
    case 0x19 where command.count >= 72: try readSegment(command, isWide: true)
    case 0x1 where command.count >= 56: try readSegment(command, isWide: false)
    case 0x2 where command.count >= 24:
      // The names in the symbol table.
      image.hasSymbolTable = command.word(12) > 0 && command.word(20) > 0
      try check(UInt64(command.word(20)), at: UInt64(command.word(16)), "the symbols' names")
    default: break
    }
  }

  private mutating func readSegment(_ segment: LittleEndianBytes, isWide: Bool) throws(MachOProblem) {
    let name = segment.text(8, 16)
    func field(_ index: Int) -> UInt64 {
      isWide ? segment.wide(24 + 8 * index) : UInt64(segment.word(24 + 4 * index))
    }
    if name == "__TEXT" { (image.textAddress, image.code) = (field(0), 0..<0) }
    // In a dSYM the executable's segments keep their addresses but have no bytes.
    if !image.isDebugFile || name == "__DWARF" { try check(field(3), at: field(2), "segment \(name)") }
    guard name == "__DWARF" || name == "__TEXT" else { return }
    let (start, size) = isWide ? (72, 80) : (56, 68)
    let number = Int(segment.word(isWide ? 64 : 48))
    guard number <= (segment.count - start) / size else { throw .damaged("\(name) has fewer sections than it states") }
    for index in 0..<number {
      let section = segment.part(start + index * size, size)
      if name == "__TEXT" { readCode(section, isWide: isWide) } else { try readSection(section, isWide: isWide) }
    }
  }

  /// Extends the range of code by a section with instructions, unless the section is a list of stubs.
  private mutating func readCode(_ section: LittleEndianBytes, isWide: Bool) {
    let flags = section.word(isWide ? 64 : 56)
    let address = isWide ? section.wide(32) : UInt64(section.word(32))
    let size = isWide ? section.wide(40) : UInt64(section.word(36))
    guard flags & 0x8000_0400 != 0, flags & 0xFF != 8, size > 0, address >= image.textAddress else { return }
    let (end, over) = (address - image.textAddress).addingReportingOverflow(size)
    guard !over, !image.textAddress.addingReportingOverflow(end).overflow else { return }
    let known = image.code.isEmpty ? address - image.textAddress..<end : image.code
    image.code = min(known.lowerBound, address - image.textAddress)..<max(known.upperBound, end)
  }

  private mutating func readSection(_ section: LittleEndianBytes, isWide: Bool) throws(MachOProblem) {
    let name = section.text(0, 16)
    let size = isWide ? section.wide(40) : UInt64(section.word(36))
    try check(size, at: UInt64(section.word(isWide ? 48 : 40)), "section \(name)")
    guard name == "__debug_info", size > 0 else { return }
    image.hasDebugInformation = true
    debugInformation = (UInt64(section.word(isWide ? 48 : 40)), size)
  }

  /// Throws unless debug information starts with a plausible unit header, because it may have been overwritten.
  ///
  /// Source: DWARF 5, section 7.5.1
  private func checkFirstUnit() throws(MachOProblem) {
    guard let debugInformation else { return }
    let (offset, size) = debugInformation
    guard let start = bytes(offset, min(size, 12)), start.count == 12 else {
      throw .damaged("its debug information is \(size) bytes long")
    }
    let header = LittleEndianBytes(start)
    // Compilers for Apple's systems do not write 64-bit DWARF, which has a longer length field, so it is not checked.
    if header.word(0) == 0xFFFF_FFFF { return }
    let version = header.short(4)
    guard (2...5).contains(version) else {
      throw .damaged("its debug information begins with a unit of DWARF version \(version)")
    }
    let addressSize = version == 5 ? header.part(7, 1).bytes.first : header.part(10, 1).bytes.first
    guard UInt64(header.word(0)) + 4 <= size, addressSize == 4 || addressSize == 8 else {
      throw .damaged("the first unit of its debug information extends beyond its end")
    }
  }

  private func check(_ size: UInt64, at offset: UInt64, _ what: String) throws(MachOProblem) {
    let (end, over) = offset.addingReportingOverflow(size)
    guard over || end > UInt64(range.count) else { return }
    throw .damaged("\(what) ends at byte \(over ? "2^64" : String(end)), the file at \(range.count)")
  }

  private func bytes(_ offset: UInt64, _ size: UInt64) -> [UInt8]? {
    guard offset + size <= UInt64(range.count) else { return nil }
    return file.bytes(at: UInt64(range.lowerBound) + offset, size)
  }
}

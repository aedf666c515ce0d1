internal import Core

/// The `Binary Images:` list of a `.crash` report.
struct CrashTextImages {
  struct Image {
    let start: UInt64
    let end: UInt64
    let name: String
    let uuid: String
    let origin: CallTree.Binary.Origin
  }

  private var images: [Image] = []

  /// Parses one line: `0x102a38000 - 0x102a4bfff Shop arm64  <cdb53ddb23373933…> /var/containers/…/Shop.app/Shop`, or
  /// on a Mac `0x10a2b0000 - 0x10a2d3fff +com.example.shop (4.2.0 - 1234) <CDB53DDB-…>
  /// /Applications/Shop.app/Contents/MacOS/Shop`. Ignores other lines.
  mutating func read(_ line: Substring) {
    let words = line.utf8.split { $0 == 0x20 || $0 == 0x09 }.map { Substring($0) }
    guard words.count >= 4, words[1] == "-", let start = CrashTextNumber.address(words[0]),
      let end = CrashTextNumber.address(words[2]), end >= start
    else { return }
    var uuid = ""
    var path: Substring?
    if let open = words.firstIndex(where: { $0.utf8.first == UInt8(ascii: "<") }) {
      let text = words[open].utf8.dropFirst().prefix { $0 != UInt8(ascii: ">") }
      uuid = Self.uuid(text)
      // The path may contain spaces, so it is the rest of the line.
      path = line.range(of: words[open]).map { line[$0.upperBound...] }
    }
    let name = path.map { CrashTextLines.trimmed($0).split(separator: "/").last.map(String.init) ?? "" } ?? ""
    let plain = String(words[3].utf8.first == UInt8(ascii: "+") ? words[3].dropFirst() : words[3])
    let shown = name.isEmpty ? plain : name
    images.append(
      Image(
        start: start, end: end, name: shown.kept, uuid: uuid,
        origin: path.map { CallTree.Binary.Origin(path: CrashTextLines.trimmed($0)) } ?? .unknown))
  }

  /// Sorts the images by address for `image(at:)`. Call this after the last line.
  mutating func sort() { images.sort { $0.start < $1.start } }

  /// The image that contains an address; nil if none does. Images must be sorted.
  func image(at address: UInt64) -> Image? {
    var low = 0
    var high = images.count
    while low < high {
      let middle = (low + high) / 2
      if images[middle].start <= address { low = middle + 1 } else { high = middle }
    }
    guard low > 0, images[low - 1].end >= address else { return nil }
    return images[low - 1]
  }

  private static func uuid(_ text: some Sequence<UInt8>) -> String {
    let digits = text.filter { $0 != UInt8(ascii: "-") }
    let isHexadecimal = digits.allSatisfy { (48...57).contains($0) || (97...102).contains($0 | 0x20) }
    return digits.count == 32 && isHexadecimal ? String(decoding: digits, as: UTF8.self).uppercased() : ""
  }
}

extension Substring {
  /// The range of `part`, which must be a slice of this text.
  fileprivate func range(of part: Substring) -> Range<Index>? {
    part.startIndex >= startIndex && part.endIndex <= endIndex ? part.startIndex..<part.endIndex : nil
  }
}

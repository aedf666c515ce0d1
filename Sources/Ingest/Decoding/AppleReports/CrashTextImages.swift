internal import Core

/// The `Binary Images:` list of a `.crash` report. Its texts are valid as long as the report.
struct CrashTextImages {
  struct Image {
    let start: UInt64
    let end: UInt64
    /// The word behind the addresses: the name, on a Mac the bundle's id.
    fileprivate let word: CrashText
    fileprivate let uuid: CrashText?
    fileprivate let path: CrashText?
  }

  private var images: [Image] = []

  /// Parses one line: `0x102a38000 - 0x102a4bfff Shop arm64  <cdb53ddb23373933…> /var/containers/…/Shop.app/Shop`, or
  /// on a Mac `0x10a2b0000 - 0x10a2d3fff +com.example.shop (4.2.0 - 1234) <CDB53DDB-…>
  /// /Applications/Shop.app/Contents/MacOS/Shop`. Ignores other lines.
  mutating func read(_ line: CrashText) {
    var rest = line
    guard let start = rest.word()?.address, let dash = rest.word(), dash == "-", let end = rest.word()?.address,
      end >= start, let name = rest.word()
    else { return }
    var next: CrashText? = name
    while let word = next {
      if word.begins("<") {
        // The path may contain spaces, so it is the rest of the line.
        images.append(
          Image(start: start, end: end, word: name, uuid: word[1...].prefix(upTo: UInt8(ascii: ">")), path: rest))
        return
      }
      next = rest.word()
    }
    images.append(Image(start: start, end: end, word: name, uuid: nil, path: nil))
  }

  /// Sorts the images by address for `index(at:)`. Call this after the last line.
  mutating func sort() { images.sort { $0.start < $1.start } }

  /// The number of images.
  var count: Int { images.count }

  subscript(index: Int) -> Image { images[index] }

  /// The index of the image that contains an address; nil if none does. Images must be sorted.
  func index(at address: UInt64) -> Int? {
    var low = 0
    var high = images.count
    while low < high {
      let middle = (low + high) / 2
      if images[middle].start <= address { low = middle + 1 } else { high = middle }
    }
    guard low > 0, images[low - 1].end >= address else { return nil }
    return low - 1
  }
}

extension CrashTextImages.Image {
  /// The image as a binary of a call tree. It is made only for images with frames, which few of them have.
  var binary: CallTree.Binary {
    let plain = word.begins("+") ? word[1...] : word
    var binary = CallTree.Binary(
      name: SanitizedText.name(plain.bytes), uuid: uuid.flatMap { CallTree.Binary.uuid($0.bytes) } ?? "")
    var path = path?.name ?? ""
    path.withUTF8 { bytes in
      let file = Self.lastComponent(of: CrashText(bytes))
      if file.count > 0 { binary.name = SanitizedText.name(file.bytes) }
      binary.origin = CallTree.Binary.Origin(path: bytes)
    }
    return binary
  }

  private static func lastComponent(of path: CrashText) -> CrashText {
    let slash = UInt8(ascii: "/")
    var end = path.count
    while end > 0, path.bytes[end - 1] == slash { end -= 1 }
    var start = end
    while start > 0, path.bytes[start - 1] != slash { start -= 1 }
    return path[start..<end]
  }
}

internal import Core

/// The executables and libraries of an event, sorted by address.
struct SentryImages {
  struct Image {
    let start: UInt64
    let size: UInt64
    let binary: CallTree.Binary
  }

  private var images: [Image] = []

  /// The most images that are read. An app loads a few hundred.
  private static let most = 5000

  init(_ event: JSONObject) {
    guard let list = event.object("debug_meta")?.array("images") else { return }
    for element in list.prefix(Self.most) {
      guard let image = element.objectOrNil, let start = image["image_addr"].flatMap(MemoryAddress.read) else {
        continue
      }
      let name = Self.name(image.text("code_file") ?? image.text("name"))
      let uuid = Self.uuid(image.text("debug_id") ?? image.text("uuid"))
      images.append(
        Image(
          start: start, size: image["image_size"].flatMap(MemoryAddress.read) ?? 0,
          binary: .init(name: name, uuid: uuid, origin: .init(path: image.text("code_file")))))
    }
    images.sort { $0.start < $1.start }
  }

  subscript(index: Int) -> Image { images[index] }

  /// The index of the image that contains an address; nil if none does. An image of unknown size extends to the next
  /// one.
  func image(at address: UInt64) -> Int? {
    var low = 0
    var high = images.count
    while low < high {
      let middle = (low + high) / 2
      if images[middle].start <= address { low = middle + 1 } else { high = middle }
    }
    guard low > 0 else { return nil }
    let size = images[low - 1].size
    return size == 0 || address - images[low - 1].start < size ? low - 1 : nil
  }

  /// The last component of a path: `Shop` of `/private/var/containers/Shop.app/Shop`.
  static func name(_ path: BorrowedJSONString?) -> String {
    guard let path else { return "" }
    let bytes = path.bytes
    let start = bytes.lastIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "\\") }.map { $0 + 1 } ?? 0
    return SanitizedText.name(UnsafeBufferPointer(rebasing: bytes[start...]))
  }

  /// The UUID as 32 upper-case hexadecimal digits; empty if the text is not a UUID.
  private static func uuid(_ text: BorrowedJSONString?) -> String {
    guard let text, (32...60).contains(text.count) else { return "" }
    var digits: [UInt8] = []
    digits.reserveCapacity(32)
    for byte in text.bytes where byte != UInt8(ascii: "-") && digits.count < 32 {
      switch byte {
      case 48...57, 65...70: digits.append(byte)
      case 97...102: digits.append(byte - 32)
      default: return ""
      }
    }
    return digits.count == 32 ? String(decoding: digits, as: UTF8.self) : ""
  }
}

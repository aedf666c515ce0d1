internal import JSON
internal import Telemetry

/// The executables and libraries that an event lists, by where they lay in memory.
struct SentryImages {
  struct Image {
    let start: UInt64
    let size: UInt64
    let binary: CallTree.Binary
  }

  private var images: [Image] = []

  /// An app loads some hundreds.
  private static let most = 5000

  init(_ event: JSONObject) {
    guard let list = event.object("debug_meta")?.array("images") else { return }
    for element in list.prefix(Self.most) {
      guard let image = element.objectOrNil, let start = image["image_addr"].flatMap(SentryAddress.read) else {
        continue
      }
      let name = Self.name(image.text("code_file") ?? image.text("name"))
      let uuid = Self.uuid(image.text("debug_id") ?? image.text("uuid"))
      images.append(
        Image(
          start: start, size: image["image_size"].flatMap(SentryAddress.read) ?? 0,
          binary: .init(name: name, uuid: uuid, origin: .init(path: image.text("code_file")))))
    }
    images.sort { $0.start < $1.start }
  }

  /// The image in which an address lies; one of unknown size reaches to the next.
  func image(at address: UInt64) -> Image? {
    var low = 0
    var high = images.count
    while low < high {
      let middle = (low + high) / 2
      if images[middle].start <= address { low = middle + 1 } else { high = middle }
    }
    guard low > 0 else { return nil }
    let image = images[low - 1]
    return image.size == 0 || address - image.start < image.size ? image : nil
  }

  /// `Shop` of `/private/var/containers/Shop.app/Shop`.
  static func name(_ path: JSONText?) -> String {
    guard let path else { return "" }
    let bytes = path.bytes
    let start = bytes.lastIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "\\") }.map { $0 + 1 } ?? 0
    return CleanText.name(UnsafeBufferPointer(rebasing: bytes[start...]))
  }

  /// 32 upper-case hexadecimal digits; empty for what is no UUID.
  private static func uuid(_ text: JSONText?) -> String {
    guard let text, (32...60).contains(text.count) else { return "" }
    let digits = text.bytes.filter { $0 != UInt8(ascii: "-") }.prefix(32)
    let isHexadecimal = digits.allSatisfy { (48...57).contains($0) || (97...102).contains($0 | 0x20) }
    return digits.count == 32 && isHexadecimal ? String(decoding: digits, as: UTF8.self).uppercased() : ""
  }
}

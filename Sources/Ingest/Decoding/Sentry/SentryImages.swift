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
      let path = image.text("code_file")
      let stated = image.text("debug_id") ?? image.text("uuid")
      let uuid = stated.flatMap { CallTree.Binary.uuid($0.bytes, hasAge: true) } ?? ""
      images.append(
        Image(
          start: start, size: image["image_size"].flatMap(MemoryAddress.read) ?? 0,
          binary: .init(name: Self.name(path ?? image.text("name")), uuid: uuid, origin: .init(path: path))))
    }
    images.sort { $0.start < $1.start }
  }

  subscript(index: Int) -> Image { images[index] }

  func start(of index: Int) -> UInt64 { images[index].start }

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
}

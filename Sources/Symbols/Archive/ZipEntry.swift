/// One file of a zip archive, from its central directory.
struct ZipEntry: Equatable {
  /// The compression method of an entry.
  enum Method: Equatable {
    case stored
    case deflated
    /// An unsupported compression method, with its number.
    case other(Int)
  }

  var name: String
  var method: Method
  var isEncrypted: Bool
  /// Whether the entry is a file. Folders and symbolic links are not read.
  var isFile: Bool
  var sum: UInt32
  var packedSize: UInt64
  var size: UInt64
  /// The offset of the entry's local header in the archive, in bytes.
  var header: UInt64

  /// Whether the entry's name is an absolute path or contains `..`. Names are never used as paths; such an entry is
  /// refused as hostile.
  var isOutside: Bool {
    name.utf8.first == UInt8(ascii: "/") || name.utf8.contains(UInt8(ascii: "\\"))
      || name.split(separator: "/").contains("..")
  }

  /// The last component of the entry's path.
  var baseName: String { name.split(separator: "/").last.map(String.init) ?? name }
}

/// One file of a zip archive, as its central directory has it.
struct ZipEntry: Equatable {
  /// How its bytes are packed.
  enum Method: Equatable {
    case stored
    case deflated
    /// Another one, by its number.
    case other(Int)
  }

  var name: String
  var method: Method
  var isEncrypted: Bool
  /// A folder or a symbolic link: no bytes to read.
  var isFile: Bool
  var sum: UInt32
  var packedSize: UInt64
  var size: UInt64
  /// Where its local header stands.
  var header: UInt64

  /// A name that leads out of the archive. Names are never used as paths here, but nobody means well who writes one.
  var isOutside: Bool {
    name.utf8.first == UInt8(ascii: "/") || name.utf8.contains(UInt8(ascii: "\\"))
      || name.split(separator: "/").contains("..")
  }

  /// The last part of its name.
  var baseName: String { name.split(separator: "/").last.map(String.init) ?? name }
}

/// Why an archive, or a file in it, cannot be read.
struct ZipProblem: Error, Equatable, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}

internal import Core

/// The cleaning of names of uploaded files, which are untrusted.
enum UploadedFileName {
  private static let most = 200
  private static let mostOfPath = 500

  /// A path for messages, without control characters and cut to 500 bytes.
  static func shown(_ path: String) -> String { cut(path[...], mostOfPath) }

  /// The last component of a path, without control characters and cut to 200 bytes between two scalars.
  static func kept(_ path: String) -> String { cut(path.split(separator: "/").last ?? "", most) }

  private static func cut(_ text: Substring, _ most: Int) -> String {
    var name = ""
    for scalar in text.unicodeScalars where scalar.value >= 0x20 && scalar.value != 0x7F {
      guard name.utf8.count + UTF8.width(scalar) <= most else { break }
      name.unicodeScalars.append(scalar)
    }
    return name
  }
}

import CEmbeddedFiles

/// A file that ships inside the binary: of `Public`, `Migrations` or `docs/guides`. `files.c` lists them.
struct EmbeddedFile {
  /// Its name in the folder, such as `plumb.css`.
  let name: String
  let bytes: [UInt8]

  var text: String { String(decoding: bytes, as: UTF8.self) }

  /// The files of a folder, such as `Migrations/plumb`, in the order of the list.
  static func all(in folder: String) -> [EmbeddedFile] {
    var count = 0
    let files = UnsafeBufferPointer(start: plumb_embedded_files(&count), count: count)
    return files.compactMap { file in
      let path = String(cString: file.path)
      guard path.hasPrefix(folder + "/") else { return nil }
      return EmbeddedFile(name: String(path.dropFirst(folder.count + 1)), bytes: bytes(file.bytes))
    }
  }

  private static func bytes(_ start: UnsafePointer<UInt8>) -> [UInt8] {
    var end = start
    while end.pointee != 0 { end += 1 }
    return Array(UnsafeBufferPointer(start: start, count: end - start))
  }
}

/// The dictionary with which the journal compresses records.
public enum RecordDictionary {
  /// The number by which stored frames name it.
  public static let number = 1

  public static let bytes: [UInt8] = {
    var size = 0
    let start = plumb_record_dictionary(&size)
    return Array(UnsafeBufferPointer(start: start, count: size))
  }()
}

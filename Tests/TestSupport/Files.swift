public import Foundation

/// A folder of its own, which goes with its owner.
public final class TemporaryFolder: Sendable {
  public let path: String

  /// Makes the folder; its name begins with `name`.
  public init(_ name: String = "plumb") throws {
    path = FileManager.default.temporaryDirectory.path + "/\(name)-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  public var url: URL { URL(fileURLWithPath: path) }

  /// Writes a file, with the folders that its name has, and gives its path.
  @discardableResult
  public func write(_ text: String, to name: String) throws -> String {
    let file = url.appendingPathComponent(name)
    try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: file)
    return file.path
  }
}

/// Runs `body` with the path of a folder of its own.
public func withFolder<Value>(_ body: (String) throws -> Value) throws -> Value {
  let folder = try TemporaryFolder()
  return try withExtendedLifetime(folder) { try body(folder.path) }
}

/// The repository that these tests were built from.
public enum Checkout {
  public static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().path

  /// A file or folder of the repository.
  public static func path(_ name: String) -> String { "\(root)/\(name)" }

  /// A file or folder of the repository.
  public static func url(_ name: String) -> URL { URL(filePath: path(name)) }

  /// A file's content as text.
  public static func text(_ name: String) throws -> String { try String(contentsOf: url(name), encoding: .utf8) }

  /// Documents that were collected elsewhere, in `shared` beside the repository. Tests of those that are missing are skipped.
  public static func collected(_ name: String) -> URL {
    URL(filePath: root).deletingLastPathComponent().appending(path: "shared/\(name)")
  }
}

/// Documents that a person has looked at.
public enum Golden {
  /// `RECORD=1 make test` writes them anew.
  public static let isRecording = ProcessInfo.processInfo.environment["RECORD"] == "1"

  /// The first line in which a document differs from a file of the repository; nil when there is none. While recording,
  /// the document is written to the file.
  public static func difference(_ document: some Sequence<UInt8>, from name: String) throws -> String? {
    let (document, file) = (Data(document), Checkout.url(name))
    if isRecording {
      try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try document.write(to: file)
      return nil
    }
    let golden = try Data(contentsOf: file)
    guard golden != document else { return nil }
    let (old, new) = (lines(golden), lines(document))
    let line = zip(old, new).enumerated().first { $0.element.0 != $0.element.1 }?.offset ?? min(old.count, new.count)
    return "\(name) differs at line \(line + 1): \(line < new.count ? new[line] : "(ends)")"
  }

  private static func lines(_ data: Data) -> [Substring] {
    String(decoding: data, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
  }
}

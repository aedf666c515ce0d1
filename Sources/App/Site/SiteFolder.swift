import Foundation

/// The folder that a static site is written to. Unchanged files are not written again, so that a sync tool transfers
/// only changed ones.
final class SiteFolder {
  private let root: URL
  private var names: Set<String> = []
  /// The number of files that were new or changed.
  private(set) var written = 0
  /// The number of files of the site.
  var files: Int { names.count }

  init(_ root: URL) { self.root = root }

  func write(_ bytes: [UInt8], to name: String) throws {
    names.insert(name)
    let file = root.appendingPathComponent(name)
    if let old = try? Data(contentsOf: file), Self.timeless([UInt8](old)) == Self.timeless(bytes) { return }
    try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(bytes).write(to: file)
    written += 1
  }

  /// Deletes the files that the previous export wrote and this one did not, such as pages of a removed app, and returns
  /// how many. Other files in the folder stay.
  func removeOld() throws -> Int {
    let list = root.appendingPathComponent(Self.listName)
    let before = (try? String(contentsOf: list, encoding: .utf8))?.split(separator: "\n").map(String.init) ?? []
    let old = before.filter { !names.contains($0) && !$0.split(separator: "/").contains("..") && !$0.hasPrefix("/") }
    var removed = 0
    for name in old where (try? FileManager.default.removeItem(at: root.appendingPathComponent(name))) != nil {
      removed += 1
    }
    try Data((names.sorted().joined(separator: "\n") + "\n").utf8).write(to: list)
    return removed
  }

  /// The name of the list of exported files, one path per line.
  private static let listName = "plumb-files.txt"

  /// A page without the times at which it was made, which change with every export.
  static func timeless(_ page: [UInt8]) -> [UInt8] {
    let open = Array("<time class=\"made\"".utf8)
    let close = Array("</time>".utf8)
    var kept: [UInt8] = []
    kept.reserveCapacity(page.count)
    var index = 0
    while index < page.count {
      if page[index] == open[0], page[index...].starts(with: open) {
        while index < page.count, !page[index...].starts(with: close) { index += 1 }
      } else {
        kept.append(page[index])
        index += 1
      }
    }
    return kept
  }
}

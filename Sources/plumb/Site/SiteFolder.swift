import Foundation

/// A folder that a site is written to. What did not change is not written anew, so that a copy of the folder moves only
/// what did.
final class SiteFolder {
  private let root: URL
  /// Files that are part of the site.
  private(set) var files = 0
  /// Those of them that were written.
  private(set) var written = 0

  init(_ root: URL) { self.root = root }

  func write(_ bytes: [UInt8], to name: String) throws {
    files += 1
    let file = root.appendingPathComponent(name)
    if let old = try? Data(contentsOf: file), Self.timeless([UInt8](old)) == Self.timeless(bytes) { return }
    try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(bytes).write(to: file)
    written += 1
  }

  /// A page without the moments at which it and its numbers were read, which the pages put into `time` elements.
  static func timeless(_ page: [UInt8]) -> [UInt8] {
    let open = Array("<time ".utf8)
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

import Foundation
import TestSupport

/// The Swift files of the package, and of the client's, read once.
struct SourceTree {
  struct File {
    /// Below the package's folder: `Sources/Web/HTTP/Request.swift`.
    let path: String
    let lines: [Line]
    var isSource: Bool { path.hasPrefix("Sources/") || path.hasPrefix("Client/Sources/") }
  }

  struct Line {
    /// From 1.
    let number: Int
    let text: Substring
    /// What stands before a comment.
    let code: Substring
    /// What stands behind `//` or `///`, nil on a line without comment.
    let comment: Substring?
    var isDocumentation: Bool { text.drop { $0 == " " }.hasPrefix("///") }
  }

  let files: [File]

  static let shared = SourceTree(folders: ["Sources", "Tests", "Benchmarks", "Client/Sources", "Client/Tests"])

  private init(folders: [String]) {
    let root = URL(filePath: Checkout.root)
    var files: [File] = []
    for folder in folders {
      let names = FileManager.default.enumerator(atPath: root.appendingPathComponent(folder).path)
      while let name = names?.nextObject() as? String {
        guard name.hasSuffix(".swift"), !name.hasSuffix(".pb.swift") else { continue }
        let path = "\(folder)/\(name)"
        guard let text = try? String(contentsOf: root.appendingPathComponent(path), encoding: .utf8) else { continue }
        files.append(File(path: path, lines: Self.lines(of: text)))
      }
    }
    self.files = files.sorted { $0.path < $1.path }
  }

  /// The files of `Sources` and `Client/Sources`.
  var sources: [File] { files.filter(\.isSource) }

  private static func lines(of text: String) -> [Line] {
    var number = 0
    return text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
      number += 1
      guard let start = commentStart(in: line) else {
        return Line(number: number, text: line, code: line, comment: nil)
      }
      return Line(
        number: number, text: line, code: line[..<start],
        comment: line[start...].drop { $0 == "/" })
    }
  }

  /// Where `//` begins a comment: not inside a text such as an address.
  private static func commentStart(in line: Substring) -> Substring.Index? {
    let bytes = line.utf8
    var isInText = false
    var before: UInt8 = 0
    var index = bytes.startIndex
    while index < bytes.endIndex {
      let byte = bytes[index]
      if byte == UInt8(ascii: "\""), before != UInt8(ascii: "\\") { isInText.toggle() }
      if byte == UInt8(ascii: "/"), before == UInt8(ascii: "/"), !isInText { return bytes.index(before: index) }
      before = byte
      index = bytes.index(after: index)
    }
    return nil
  }
}

extension String {
  /// Whether it contains the phrase. `contains` compares characters, which takes ten times as long.
  func hasBytes(of phrase: String) -> Bool { strstr(self, phrase) != nil }
}

extension Substring {
  /// Its identifiers, in order.
  var identifiers: [Substring] {
    utf8.split { !Self.isIdentifier($0) }.map { Substring($0) }.filter { !($0.utf8.first.map(Self.isDigit) ?? true) }
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (48...57).contains(byte) }

  private static func isIdentifier(_ byte: UInt8) -> Bool {
    isDigit(byte) || (65...90).contains(byte) || (97...122).contains(byte) || byte == 95 || byte > 127
  }
}

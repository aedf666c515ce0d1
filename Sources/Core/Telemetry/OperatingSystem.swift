/// An operating system with version and build, such as `iOS 17.4.1 (21E236)`.
public struct OperatingSystem: Hashable, Sendable {
  public var name: String
  public var version: String
  public var build: String

  public init(name: String, version: String, build: String = "") {
    self.name = name
    self.version = version
    self.build = build
  }

  /// Parses `iPhone OS 17.4.1 (21E236)` or `iOS 17.4.1`; "iPhone OS" becomes iOS. Any other text becomes the name.
  public init(parsing text: String) {
    var text = text
    self = text.withUTF8 { Self(parsing: $0[...]) }
  }

  private typealias Bytes = Slice<UnsafeBufferPointer<UInt8>>

  private init(parsing text: Bytes) {
    let space = UInt8(ascii: " ")
    func string(_ bytes: Bytes) -> String { String(decoding: bytes, as: UTF8.self) }
    var rest = text
    /// Removes the last word, if it is not the only one, and the spaces before it.
    func removeLastWord(if isExpected: (Bytes) -> Bool) -> Bytes? {
      guard let end = rest.lastIndex(of: space), end != rest.startIndex else { return nil }
      let word = rest[(end + 1)...]
      guard isExpected(word) else { return nil }
      rest = rest[..<end]
      while rest.last == space { rest.removeLast() }
      return word
    }
    let build = removeLastWord { $0.first == UInt8(ascii: "(") && $0.last == UInt8(ascii: ")") }
    let version = removeLastWord { $0.first.map { (48...57).contains($0) } ?? false }
    self.init(
      name: rest.elementsEqual("iPhone OS".utf8) ? "iOS" : string(rest), version: version.map(string) ?? "",
      build: build.map { string($0.dropFirst().dropLast()) } ?? "")
  }

  /// The OS name and version, such as `iOS 17.4.1`.
  public var title: String { version.isEmpty ? name : "\(name) \(version)" }
}

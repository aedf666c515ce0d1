internal import Foundation

/// The location of a secret. The settings contain the location, never the secret itself.
public enum SecretSource: Sendable, Equatable, CustomStringConvertible {
  /// The name of an environment variable.
  case environment(String)
  /// The absolute path of a file that no other user can read.
  case file(String)
  /// The name of a credential that systemd passes to the service (`LoadCredential=`).
  case credential(String)

  /// The location as text: `the environment variable URL`, `the file /etc/plumb/slack.url`, `the credential slack.url`.
  public var description: String {
    switch self {
    case .environment(let name): "the environment variable \(name)"
    case .file(let path): "the file \(path)"
    case .credential(let name): "the credential \(name)"
    }
  }

  /// Reads the secret, without surrounding white space.
  ///
  /// - Parameter environment: the environment variables of the process.
  public func read(environment: [String: String]) throws(SecretFailure) -> Secret {
    try checked(contents(environment: environment))
  }

  /// The whole text of the secret, which may have several lines, such as a key in PEM.
  func contents(environment: [String: String]) throws(SecretFailure) -> String {
    switch self {
    case .environment(let name):
      guard let value = environment[name] else { throw SecretFailure("\(self) is not set") }
      return value
    case .file(let path): return try contents(path, isCredential: false)
    case .credential(let name):
      guard let folder = environment["CREDENTIALS_DIRECTORY"], folder.hasPrefix("/") else {
        throw SecretFailure(
          "\(self) is not set: add LoadCredential=\(name):/PATH to the unit of the service")
      }
      return try contents(folder + "/" + name, isCredential: true)
    }
  }

  private static var userName: String { getpwuid(geteuid()).map { String(cString: $0.pointee.pw_name) } ?? "USER" }

  private func checked(_ text: String) throws(SecretFailure) -> Secret {
    let line = text.trimmingCharacters(in: .whitespacesAndNewlines)
    guard !line.isEmpty else { throw SecretFailure("\(self) is empty") }
    guard line.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control }) else {
      throw SecretFailure("\(self) has more than one line, or control characters")
    }
    return Secret(line)
  }

  /// Reads the file. Checks the permissions of the open file, not of the path, so that the file cannot be replaced
  /// meanwhile.
  private func contents(_ path: String, isCredential: Bool) throws(SecretFailure) -> String {
    let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard file >= 0 else {
      // Looking up the user name changes errno.
      let (number, reason) = (errno, String(cString: strerror(errno)))
      let isForeign = number == EACCES && !isCredential
      let advice = isForeign ? "; run `chown \(Self.userName) \(path)`, or pass it as a credential" : ""
      throw SecretFailure("\(self) cannot be read: \(reason)\(advice)")
    }
    defer { close(file) }
    var status = stat()
    guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw SecretFailure("\(self) is not a file")
    }
    guard status.st_uid == geteuid() || status.st_uid == 0 else {
      throw SecretFailure("\(self) belongs to another user; run `chown \(Self.userName) \(path)`")
    }
    // systemd gives the service access by an access control list, which appears as group permissions. A file of root
    // may be readable for the group of the service.
    let isForOwnGroup = isCredential || (status.st_uid == 0 && status.st_gid == getegid() && status.st_gid != 0)
    guard status.st_mode & (isForOwnGroup ? 0o037 : 0o077) == 0 else {
      throw SecretFailure("\(self) can be read by other users; run `chmod 600 \(path)`")
    }
    var bytes = [UInt8](repeating: 0, count: 65_536)
    let count = Foundation.read(file, &bytes, bytes.count)
    guard count >= 0, count < bytes.count else { throw SecretFailure("\(self) is too large for a secret") }
    guard let text = String(validating: bytes[..<count], as: UTF8.self) else {
      throw SecretFailure("\(self) is not UTF-8")
    }
    return text
  }
}

/// The reason why a secret cannot be read. The description contains its location, never its content.
public struct SecretFailure: Error, Sendable, Equatable, CustomStringConvertible {
  /// The location of the secret and the reason, without a full stop.
  public let description: String

  init(_ description: String) { self.description = description }
}

/// A text that appears as `…` in descriptions, dumps and interpolations, so that it does not get into logs.
public struct Secret: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  private let text: String

  public init(_ text: String) { self.text = text }

  /// Calls `body` with the text, to send it.
  package func use<Value, Failure: Error>(_ body: (String) throws(Failure) -> Value) throws(Failure) -> Value {
    try body(text)
  }

  /// Always `…`, so that the secret is not printed.
  public var description: String { "…" }
  /// Always `…`, so that the secret is not printed.
  public var debugDescription: String { "…" }
  /// A mirror without children, which hides the text from `dump`.
  public var customMirror: Mirror { Mirror(self, children: []) }
}

/// Removes secrets from error messages, because receivers may quote the address or key of a request.
struct Redaction: Sendable {
  private let hidden: [[UInt8]]

  /// Hides each secret, and each of its parts of 8 bytes or more between delimiters such as `/` and `?`.
  init(_ secrets: [Secret]) {
    var hidden: Set<[UInt8]> = []
    for secret in secrets {
      secret.use { text in
        hidden.insert(Array(text.utf8))
        let parts = text.utf8.split { Array("/?&=:@".utf8).contains($0) }
        // The scheme and host of an address are not secret, and show which receiver failed.
        for part in parts.dropFirst(text.contains("://") ? 2 : 0) where part.count >= 8 { hidden.insert(Array(part)) }
      }
    }
    // The longest are first, so that a whole secret is replaced before its parts.
    self.hidden = hidden.sorted { $0.count > $1.count }
  }

  /// The text with `…` in place of every secret. Compares bytes, because a search by characters would miss a secret
  /// before a combining mark.
  func apply(_ text: String) -> String {
    let bytes = hidden.reduce(Array(text.utf8)) { $0.replacing($1, with: Array("…".utf8)) }
    return String(decoding: bytes, as: UTF8.self)
  }
}

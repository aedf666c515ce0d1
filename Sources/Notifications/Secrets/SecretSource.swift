internal import Foundation

/// Where a secret is kept. The settings name the place and never hold the secret itself.
public enum SecretSource: Sendable, Equatable, CustomStringConvertible {
  /// A variable of the environment.
  case environment(String)
  /// A file that only its owner may read.
  case file(String)

  /// `the variable PLUMB_SLACK_URL`, `the file /etc/plumb/slack.url`
  public var description: String {
    switch self {
    case .environment(let name): "the variable \(name)"
    case .file(let path): "the file \(path)"
    }
  }

  /// Reads the secret, without the line break at its end.
  ///
  /// - Parameter environment: the variables of the process.
  public func read(environment: [String: String]) throws(SecretFailure) -> Secret {
    switch self {
    case .environment(let name):
      guard let value = environment[name] else { throw SecretFailure("\(self) is not set") }
      return try checked(value)
    case .file(let path): return try checked(contents(path))
    }
  }

  private func checked(_ text: String) throws(SecretFailure) -> Secret {
    let line = text.trimmingCharacters(in: .whitespacesAndNewlines)
    guard !line.isEmpty else { throw SecretFailure("\(self) is empty") }
    guard line.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control }) else {
      throw SecretFailure("\(self) holds more than one line, or control characters")
    }
    return Secret(line)
  }

  /// Checked on the open file, so that nothing can be put in its place in between.
  private func contents(_ path: String) throws(SecretFailure) -> String {
    let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard file >= 0 else { throw SecretFailure("\(self) cannot be read: \(String(cString: strerror(errno)))") }
    defer { close(file) }
    var status = stat()
    guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw SecretFailure("\(self) is not a file")
    }
    guard status.st_mode & 0o077 == 0 else {
      throw SecretFailure("\(self) may be read by others; run `chmod 600 \(path)`")
    }
    guard status.st_uid == geteuid() || status.st_uid == 0 else {
      throw SecretFailure("\(self) belongs to another user")
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

/// A secret cannot be read. It says where the secret should be, never what it is.
public struct SecretFailure: Error, Sendable, Equatable, CustomStringConvertible {
  /// One sentence without a full stop.
  public let description: String

  init(_ description: String) { self.description = description }
}

import Core
public import Foundation
public import Outbound
import Storage
import Symbols
import Web
import Yams

/// The settings of a process. A flag takes precedence over an environment variable (`PLUMB_…`), then `plumb.yaml`, then
/// the default.
///
/// Every function that reads a setting throws `UsageError` for an invalid value.
public struct Settings {
  private let file: [String: Entry]
  /// The text and path of the settings file, for the sections that other types parse.
  private let source: (text: String, path: String)?
  private let environment: [String: String]

  /// A value in the settings file, and its place: `plumb.yaml:3:1`.
  private struct Entry {
    var text: String
    var place: String
  }

  /// Every key that `plumb.yaml` can contain.
  static let keys =
    [
      "listen", "data", "public-url", "trusted-proxies", "budgets", "requests-per-second", "rows-per-day",
      "bytes-per-day", "body-limit",
      "check-every", "remind-after",
      "release-age", "stale-after", "samples-newest", "samples-typical", "samples-limit", "group-share",
      "symbols-limit", "sessions-limit", "upload-limit", "symbolizer", "symbols-sandbox", "nightly-copy", "free-space",
      "store", "store-cluster",
      "store-password", "store-ca-file", "journal-limit", "primary", "token-file", "ca-file", "node-name",
      "standby-of", "own-address",
    ] + Retention.kinds.map(\.key)

  /// Reads the file at `path`; if nil, `plumb.yaml` in the working directory if it exists.
  public init(path: String?, environment: [String: String] = ProcessInfo.processInfo.environment) throws {
    self.environment = environment
    guard let path = path ?? (FileManager.default.fileExists(atPath: "plumb.yaml") ? "plumb.yaml" : nil) else {
      file = [:]
      source = nil
      return
    }
    guard let text = try? String(contentsOfFile: path, encoding: .utf8) else {
      throw UsageError("--config: \(path) cannot be read.")
    }
    file = try Self.parse(text, path)
    source = (text, path)
  }

  private static func parse(_ text: String, _ path: String) throws -> [String: Entry] {
    var root: Node?
    do {
      root = try YAML.compose(text)
    } catch let refusal as YAML.Refusal {
      throw UsageError("\(path):\(refusal.line):\(refusal.column): \(refusal).")
    } catch {
      // The error of libyaml names no useful line.
    }
    guard let node = root else { throw UsageError("\(path): the file is empty or not YAML.") }
    guard let mapping = node.mapping else {
      throw UsageError("\(path): expected lines such as `listen: 127.0.0.1:8080`.")
    }
    var values: [String: Entry] = [:]
    for (key, value) in mapping {
      if key.string == "alerts" || key.string == "login" { continue }
      let location = key.mark.map { "\(path):\($0.line):\($0.column)" } ?? path
      guard let name = key.string, keys.contains(name) else {
        throw UsageError("\(location): unknown setting \"\(key.string ?? "")\". docs/settings.md lists the settings.")
      }
      // A list becomes one text, with commas between the values.
      let list = value.sequence.map { $0.compactMap { $0.scalar?.string } }
      if name == "trusted-proxies" || name == "store", let list, list.count == value.sequence?.count {
        values[name] = Entry(text: list.joined(separator: ","), place: location)
        continue
      }
      guard let text = value.scalar?.string else { throw UsageError("\(location): \(name): expected one value.") }
      values[name] = Entry(text: text, place: location)
    }
    return values
  }

  /// The value of `key` from the flag, then the environment, then `plumb.yaml`; nil if it is not set.
  public func value(_ key: String, flag: String?) -> String? {
    flag ?? environment[Self.variable(key)] ?? file[key]?.text
  }

  private static func variable(_ key: String) -> String {
    "PLUMB_" + key.uppercased().replacing("-", with: "_")
  }

  /// Where the value of `key` is set: `--key`, `PLUMB_KEY`, or the line of the file, such as `plumb.yaml:3:1: key`.
  func origin(_ key: String, flag: String?) -> String {
    if flag != nil { return "--\(key)" }
    let variable = Self.variable(key)
    return environment[variable] != nil ? variable : file[key].map { "\($0.place): \(key)" } ?? key
  }

  /// The error of an invalid value of `key`. `expected`: a noun phrase, such as `a whole number above 0`.
  func invalid(_ key: String, flag: String?, expected: String) -> UsageError {
    UsageError("\(origin(key, flag: flag)): expected \(expected), found \"\(value(key, flag: flag) ?? "")\".")
  }

  /// The alert channels and routes in the section `alerts:`; empty without the section.
  public func alerts() throws -> AlertSettings {
    guard let source else { return AlertSettings() }
    do {
      return try AlertSettings.read(yaml: source.text, fileName: source.path)
    } catch {
      throw UsageError(error.description)
    }
  }
}

extension Settings {
  /// How users sign in: the section `login:`. Without the section, users sign in with passwords only.
  func login() throws -> (settings: LoginSettings, proxies: TrustedProxies) {
    guard let source else { return (LoginSettings(), TrustedProxies()) }
    return try LoginSettingsReader(path: source.path, environment: environment).read(source.text)
  }
}

// MARK: - Values with a type

extension Settings {
  /// The value of `key`, a whole number above 0; `standard` if it is not set.
  func number(_ key: String, default standard: Int) throws -> Int {
    guard let text = value(key, flag: nil) else { return standard }
    guard let number = Int(text), number > 0 else {
      throw invalid(key, flag: nil, expected: "a whole number above 0")
    }
    return number
  }

  /// The value of `key`, a share such as `0.5%`, as a number between 0 and 1; nil if it is not set.
  public func share(_ key: String, flag: String?) throws -> Double? {
    guard let text = value(key, flag: flag) else { return nil }
    let number = text.hasSuffix("%") ? Double(text.dropLast().filter { $0 != " " }).map { $0 / 100 } : Double(text)
    guard let number, number > 0, number < 1 else {
      throw invalid(key, flag: flag, expected: "a share such as 0.5%")
    }
    return number
  }

  /// The value of `key`, a duration such as `2h`; nil if it is not set.
  public func span(_ key: String, flag: String?) throws -> DurationSetting? {
    guard let text = value(key, flag: flag) else { return nil }
    guard let span = DurationSetting(text) else {
      throw invalid(key, flag: flag, expected: "a duration such as 5m, 2h or 1d")
    }
    return span
  }

  /// The trusted proxies, whose headers name the client's address: addresses and ranges such as `10.0.0.0/8`, separated
  /// by commas or spaces.
  func trustedProxies(flag: String?) throws -> TrustedProxies {
    let texts = (value("trusted-proxies", flag: flag) ?? "").split { $0 == "," || $0.isWhitespace }.map(String.init)
    return TrustedProxies(
      try texts.map { text in
        guard let range = ClientAddress.Range(text) else {
          throw invalid("trusted-proxies", flag: flag, expected: "addresses or ranges such as 10.0.0.0/8")
        }
        return range
      })
  }

  /// Whether the child processes that read symbols require a sandbox, or only prefer one.
  func sandbox() throws -> LandlockRequirement {
    guard let text = value("symbols-sandbox", flag: nil) else { return .prefer }
    guard let sandbox = LandlockRequirement(rawValue: text) else {
      throw invalid("symbols-sandbox", flag: nil, expected: "prefer or require")
    }
    return sandbox
  }

  /// The limits on stored diagnostic bodies: the settings `samples-newest`, `samples-typical` and `samples-limit`.
  func sampleLimits() throws -> SampleLimits {
    let standard = SampleLimits()
    return SampleLimits(
      newest: try whole("samples-newest", 1...1_000) ?? standard.newest,
      typical: try whole("samples-typical", 0...1_000) ?? standard.typical,
      bytes: try number("samples-limit", default: standard.bytes))
  }

  private func whole(_ key: String, _ range: ClosedRange<Int>) throws -> Int? {
    guard let text = value(key, flag: nil) else { return nil }
    guard let number = Int(text), range.contains(number) else {
      throw invalid(key, flag: nil, expected: "a whole number from \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }
}

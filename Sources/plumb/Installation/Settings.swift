import ArgumentParser
import Foundation
import Notifications
import Yams

/// Where settings come from: flag, then environment (`PLUMB_…`), then `plumb.yaml`, then the default.
struct Settings {
  private let file: [String: String]
  /// The whole text and its path, for sections that have a reader of their own.
  private let source: (text: String, path: String)?

  /// Every key that `plumb.yaml` may hold.
  static let keys = [
    "listen", "data", "public-url", "trusted-proxies", "budgets", "requests-per-second", "rows-per-day", "body-limit",
    "check-every", "remind-after",
    "release-age", "stale-after", "samples-newest", "samples-typical", "samples-limit", "group-share", "symbols-limit",
    "upload-limit", "symbolizer", "symbols-sandbox",
  ]

  /// Reads `path`, or `plumb.yaml` of the working directory when it exists.
  init(path: String?) throws {
    guard let path = path ?? (FileManager.default.fileExists(atPath: "plumb.yaml") ? "plumb.yaml" : nil) else {
      file = [:]
      source = nil
      return
    }
    guard let text = try? String(contentsOfFile: path, encoding: .utf8) else {
      throw ValidationError("The settings file \(path) cannot be read.")
    }
    file = try Self.parse(text, path)
    source = (text, path)
  }

  /// The section `alerts:`; without a file or the section nothing is delivered anywhere.
  func alerts() throws -> AlertSettings {
    guard let source else { return AlertSettings() }
    do {
      return try AlertSettings.read(yaml: source.text, fileName: source.path)
    } catch {
      throw ValidationError(error.description)
    }
  }

  /// The value of `key` by precedence; nil when nobody set it.
  func value(_ key: String, flag: String?) -> String? {
    let variable = "PLUMB_" + key.uppercased().replacing("-", with: "_")
    return flag ?? ProcessInfo.processInfo.environment[variable] ?? file[key]
  }

  private static func parse(_ text: String, _ path: String) throws -> [String: String] {
    guard let node = try? Yams.compose(yaml: text) else {
      throw ValidationError("\(path): this is not YAML, or empty.")
    }
    guard let mapping = node.mapping else {
      throw ValidationError("\(path): expected lines such as `listen: 127.0.0.1:8080`.")
    }
    var values: [String: String] = [:]
    for (key, value) in mapping {
      if key.string == "alerts" { continue }
      let place = key.mark.map { "\(path):\($0.line):\($0.column)" } ?? path
      guard let name = key.string, keys.contains(name) else {
        throw ValidationError("\(place): unknown setting. Known are \(keys.joined(separator: ", ")) and alerts.")
      }
      // A list is its values with commas between them.
      let list = value.sequence.map { $0.compactMap { $0.scalar?.string } }
      if name == "trusted-proxies", let list, list.count == value.sequence?.count {
        values[name] = list.joined(separator: ",")
        continue
      }
      guard let text = value.scalar?.string else { throw ValidationError("\(place): \(name) must be one value.") }
      values[name] = text
    }
    return values
  }
}

/// The flags every command has.
struct FolderOptions: ParsableArguments {
  @Option(help: "The data folder. (PLUMB_DATA; default: ./plumb-data)")
  var data: String?

  @Option(help: "The settings file. (default: plumb.yaml, if there is one)")
  var config: String?

  func settings() throws -> Settings { try Settings(path: config) }

  /// The path of the data folder.
  func path() throws -> String { try settings().value("data", flag: data) ?? "plumb-data" }
}

internal import Core
internal import Storage
internal import Yams

/// Reads the section `alerts:` and collects its errors.
struct AlertSettingsReader {
  private(set) var errors: [AlertSettingsError] = []
  private let fileName: String
  private var marks: [(name: String, mark: Mark?)] = []

  init(fileName: String) { self.fileName = fileName }

  mutating func read(_ yaml: String) -> AlertSettings {
    var settings = AlertSettings()
    guard let section = section(yaml), let entries = mapping(section, "channels, routes and default") else {
      return settings
    }
    for (key, value) in entries {
      switch key.string {
      case "channels": settings.channels = channels(value)
      case "routes": settings.routes = routes(value)
      case "default": settings.defaultChannels = names(value)
      default: report(key.mark, "unknown key \(quoted(key)). Expected channels, routes or default")
      }
    }
    let known = Set(settings.channels.map(\.name))
    for (name, mark) in marks where !known.contains(name) {
      report(mark, "there is no channel \"\(name.oneLine.cut(60))\" under `channels:`")
    }
    errors.sort { ($0.line, $0.column) < ($1.line, $1.column) }
    return settings
  }

  /// The YAML node of the section, with line and column.
  private mutating func section(_ yaml: String) -> Node? {
    do {
      return try YAML.compose(yaml)?.mapping?["alerts"]
    } catch let error as YamlError {
      let mark: Mark? =
        switch error {
        case .scanner(_, _, let mark, _), .parser(_, _, let mark, _), .composer(_, _, let mark, _): mark
        case .duplicatedKeysInMapping(_, let context): context.mark
        default: nil
        }
      report(mark, "not valid YAML, or a duplicate key")
    } catch {
      report(nil, "not valid YAML")
    }
    return nil
  }

  private mutating func channels(_ node: Node) -> [Channel] {
    guard let entries = mapping(node, "a name for each channel") else { return [] }
    return entries.compactMap { key, value in
      guard let name = key.string, !name.isEmpty, name.utf8.count <= 64, name.utf8.allSatisfy(Self.isName) else {
        report(key.mark, "expected a channel name of letters, digits and - _ ., found \(quoted(key))")
        return nil
      }
      var options = OptionReader(value, of: "the channel \(name)")
      let channel = ChannelReader.read(name, &options)
      for (mark, message) in options.problems { report(mark ?? key.mark, message) }
      return channel
    }
    .sorted { $0.name < $1.name }
  }

  private mutating func routes(_ node: Node) -> [AlertRoute] {
    guard case .sequence(let items) = node else {
      report(node.mark, "expected a list of routes, each after a hyphen, found \(quoted(node))")
      return []
    }
    return items.compactMap { item in
      var options = OptionReader(item, of: "a route")
      var route = AlertRoute(channels: [])
      route.apps = options.texts("app") ?? []
      route.environments = options.texts("environment") ?? []
      route.severity = options.choice("severity", Severity.self) ?? .info
      let channels = options.node("channels")
      options.finish()
      for (mark, message) in options.problems { report(mark ?? item.mark, message) }
      if let channels {
        route.channels = names(channels)
      } else {
        report(item.mark, "a route needs `channels:`, a list of channel names")
      }
      return route
    }
  }

  private mutating func names(_ node: Node) -> [String] {
    let nodes = node.sequence.map(Array.init) ?? [node]
    return nodes.compactMap { node in
      guard let name = node.scalar?.string else {
        report(node.mark, "expected a channel name, found \(quoted(node))")
        return nil
      }
      marks.append((name, node.mark))
      return name
    }
  }

  private mutating func mapping(_ node: Node, _ expected: String) -> Node.Mapping? {
    if case .mapping(let mapping) = node { return mapping }
    report(node.mark, "expected \(expected), found \(quoted(node))")
    return nil
  }

  private mutating func report(_ mark: Mark?, _ message: String) {
    errors.append(
      AlertSettingsError(file: fileName, line: mark?.line ?? 1, column: mark?.column ?? 1, message: message))
  }

  private static func isName(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."):
      true
    default: false
    }
  }
}

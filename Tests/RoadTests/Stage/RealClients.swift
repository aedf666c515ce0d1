import Foundation

/// Programs of other people that send, installed by `make clients`.
enum RealClients {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().path

  /// The Python that has the clients; nil when they are not installed.
  static let python: String? = {
    let path = root + "/.build/clients/bin/python"
    return FileManager.default.isExecutableFile(atPath: path) ? path : nil
  }()

  /// The Python that has schemathesis, which asks an API all that its description allows, and much that it does not.
  static let schemathesis = python(with: "schemathesis")
  /// The Python that has the reference client of the Model Context Protocol.
  static let mcp = python(with: "mcp")

  private static func python(with package: String) -> String? {
    let libraries = root + "/.build/clients/lib"
    let versions = (try? FileManager.default.contentsOfDirectory(atPath: libraries)) ?? []
    let isInstalled = versions.contains {
      FileManager.default.fileExists(atPath: "\(libraries)/\($0)/site-packages/\(package)")
    }
    return isInstalled ? python : nil
  }

  /// The program sentry-cli, which PyPI's package of that name brings.
  static let sentryCLI: String? = {
    let path = root + "/.build/clients/bin/sentry-cli"
    return FileManager.default.isExecutableFile(atPath: path) ? path : nil
  }()

  /// The program of that name in `Tests/RoadTests/Clients`.
  static func script(_ name: String) -> String { "\(root)/Tests/RoadTests/Clients/\(name)" }

  static let missing = "`make clients` installs the clients, when there are python3 and a network"
}

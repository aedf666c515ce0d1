import TestSupport

/// Programs of other people that send, installed by `make clients`.
enum RealClients {
  /// The Python that has the clients; nil when they are not installed.
  static let python = Program.client("python")
  /// The Python that has schemathesis, which asks an API all that its description allows, and much that it does not.
  static let schemathesis = Program.python(with: "schemathesis")
  /// The Python that has the reference client of the Model Context Protocol.
  static let mcp = Program.python(with: "mcp")
  /// The program sentry-cli, which PyPI's package of that name brings.
  static let sentryCLI = Program.client("sentry-cli")

  /// The program of that name in `Tests/RoadTests/Clients`.
  static func script(_ name: String) -> String { Checkout.path("Tests/RoadTests/Clients/\(name)") }

  static let missing = "`make clients` installs the clients, when there are python3 and a network"
}

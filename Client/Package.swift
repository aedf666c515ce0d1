// swift-tools-version:6.2
import PackageDescription

// The tests of the client, as a package that uses the product as an app does, so that they need none of the server's
// libraries. The client itself is in the package above.
let client = Target.Dependency.product(name: "PlumbClient", package: "plumb")

let package = Package(
  name: "PlumbClientTests",
  platforms: [.macOS(.v12)],
  dependencies: [.package(name: "plumb", path: "..")],
  targets: [.testTarget(name: "PlumbClientTests", dependencies: [client])],
  swiftLanguageModes: [.v5]
)

#if os(Linux)
  package.targets += [
    // A process that tests kill, crash and restart.
    .executableTarget(name: "ClientProbe", dependencies: [client], path: "Tests/ClientProbe"),
    // Calls whose cost `make client-cost` counts.
    .executableTarget(
      name: "ClientCost", dependencies: [client], path: "Tests/ClientCost", exclude: ["instructions.json", "measure"]),
  ]
#endif

// swift-tools-version:5.9
import PackageDescription

let package = Package(
  name: "PlumbClient",
  platforms: [.iOS(.v13), .macOS(.v12), .macCatalyst(.v14), .visionOS(.v1)],
  products: [.library(name: "PlumbClient", targets: ["PlumbClient"])],
  targets: [
    // What runs inside a signal handler is C: nothing of it allocates, locks or calls the Swift runtime.
    .target(name: "CSignalMarker"),
    .target(
      name: "PlumbClient", dependencies: ["CSignalMarker"], resources: [.copy("PrivacyInfo.xcprivacy")]),
    .testTarget(name: "PlumbClientTests", dependencies: ["PlumbClient"]),
  ]
)

#if os(Linux)
  // A process that the tests kill, let crash, and start again.
  package.targets.append(
    .executableTarget(name: "ClientProbe", dependencies: ["PlumbClient"], path: "Tests/ClientProbe"))
#endif

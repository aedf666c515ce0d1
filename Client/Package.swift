// swift-tools-version:5.9
import PackageDescription

let package = Package(
  name: "PlumbClient",
  platforms: [.iOS(.v13), .macOS(.v12), .macCatalyst(.v14), .visionOS(.v1)],
  products: [.library(name: "PlumbClient", targets: ["PlumbClient"])],
  targets: [
    // Code inside a signal handler is C. It never allocates, locks or calls the Swift runtime.
    .target(name: "CSignalMarker"),
    .target(
      name: "PlumbClient", dependencies: ["CSignalMarker"], resources: [.copy("PrivacyInfo.xcprivacy")]),
    .testTarget(name: "PlumbClientTests", dependencies: ["PlumbClient"]),
  ]
)

#if os(Linux)
  // A process that tests kill, crash and restart.
  package.targets.append(
    .executableTarget(name: "ClientProbe", dependencies: ["PlumbClient"], path: "Tests/ClientProbe"))
#endif

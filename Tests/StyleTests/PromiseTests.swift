import Foundation
import TestSupport
import Testing

/// Promises of README, SECURITY.md and docs/deployment.md about files that no module of Plumb reads.
@Suite("Promises about files of the repository")
struct PromiseTests {
  @Test(
    "the systemd unit restricts the server as SECURITY.md, docs/limits.md and docs/deployment.md promise",
    arguments: [
      // A user without capabilities.
      "User=plumb", "CapabilityBoundingSet=", "AmbientCapabilities=", "NoNewPrivileges=yes",
      // A read-only view of the system, except for the data folder.
      "ProtectSystem=strict", "ProtectHome=yes", "PrivateTmp=yes", "PrivateDevices=yes", "StateDirectory=plumb",
      "StateDirectoryMode=0700", "UMask=0077",
      // Memory, core dumps, restarts, credentials and the clock.
      "MemoryMax=1G", "OOMPolicy=continue", "LimitCORE=0", "Restart=on-failure", "WatchdogSec=2min", "Type=notify",
      "EnvironmentFile=-/etc/default/plumb", "After=network-online.target time-sync.target",
    ])
  func unit(line: String) throws {
    #expect(try Checkout.text("deploy/plumb.service").components(separatedBy: "\n").contains(line))
  }

  @Test("README names the OS versions that the client package supports")
  func clientVersions() throws {
    #expect(try Checkout.text("README.md").contains("iOS 13 or macOS 12"))
    #expect(try Checkout.text("Package.swift").contains(".iOS(.v13), .macOS(.v12)"))
  }

  @Test("README calls the project pre-1.0 until version 1.0 is out")
  func projectVersion() throws {
    let isEarly = try Checkout.text("Sources/App/Installation/BuildVersion.swift").contains("static let number = \"0.")
    #expect(try Checkout.text("README.md").contains("Plumb is pre-1.0") == isEarly)
  }

  @Test("plumb-check.timer runs every five minutes, as README promises")
  func timer() throws {
    #expect(try Checkout.text("README.md").contains("Check the budgets every five minutes"))
    #expect(try Checkout.text("deploy/plumb-check.timer").contains("OnCalendar=*:0/5\n"))
  }
}

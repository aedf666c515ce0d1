import Foundation
import Testing
import TestSupport

@testable import Web

@Suite("Code to copy")
struct SetupCodeTests {
  @Test("README and docs/client.md show the code of the setup page")
  func documents() throws {
    let code = SetupCode(key: "KEY", dsn: "", url: "https://plumb.example.com")
    for (block, document) in [(code.package, "README.md"), (code.metricKit, "docs/client.md")] {
      #expect(
        try Checkout.text(document).contains("```swift\n\(block)\n```"),
        "\(document) differs from the setup page:\n\(block)")
    }
  }
}

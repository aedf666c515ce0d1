import Foundation
import Testing
import TestSupport

@testable import Web

@Suite("Code to copy")
struct SetupCodeTests {
  @Test("the documents show the code of the setup page")
  func documents() throws {
    let code = SetupCode(
      key: "KEY", dsn: "https://KEY@plumb.example.com/1", url: "https://plumb.example.com")
    for (document, block) in [
      ("README.md", code.package), ("docs/client.md", code.package), ("README.md", code.sentry),
      ("docs/client.md", code.metricKit),
    ] {
      #expect(
        try Checkout.text(document).contains("```swift\n\(block)\n```"),
        "\(document) differs from the setup page:\n\(block)")
    }
  }
}

import Foundation
import Testing
import TestSupport

@testable import Web

@Suite("Code to copy")
struct SetupCodeTests {
  @Test("README shows the code of the setup page")
  func readme() throws {
    let readme = try Checkout.text("README.md")
    let code = SetupCode(key: "KEY", dsn: "", url: "https://plumb.example.com")
    for block in [code.package, code.metricKit] {
      #expect(readme.contains("```swift\n\(block)\n```"), "README differs from the setup page:\n\(block)")
    }
  }
}

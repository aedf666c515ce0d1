import Foundation
import Testing

@testable import Web

@Suite("Code to copy")
struct SetupCodeTests {
  @Test("README shows the code of the setup page")
  func readme() throws {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let readme = try String(contentsOf: folder.appendingPathComponent("README.md"), encoding: .utf8)
    let code = SetupCode(key: "KEY", dsn: "", url: "https://plumb.example.com")
    for block in [code.package, code.metricKit] {
      #expect(readme.contains("```swift\n\(block)\n```"), "README differs from the setup page:\n\(block)")
    }
  }
}

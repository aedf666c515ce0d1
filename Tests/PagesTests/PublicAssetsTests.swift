import Foundation
import Testing
import TestSupport

@testable import Core

@Suite struct PublicAssetsTests {
  private let folder = Checkout.url("Public")

  @Test("every file of Public that pages need is in the binary, byte for byte")
  func listMatchesFolder() throws {
    let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
      // The server makes the description of the API; the file is for readers.
      .filter { !$0.hasSuffix(".swift") && $0 != "openapi.json" }
    #expect(Set(files) == Set(PublicAssets.all.map(\.name)))
    for asset in PublicAssets.all {
      #expect(try Data(contentsOf: folder.appendingPathComponent(asset.name)) == Data(asset.bytes))
    }
  }

  @Test("the stylesheet stays small and needs no other origin")
  func stylesheet() throws {
    let css = try #require(PublicAssets.all.first { $0.name == "plumb.css" })
    #expect(css.bytes.count < 28 * 1024)
    let text = String(decoding: css.bytes, as: UTF8.self)
    #expect(!text.contains("url(") && !text.contains("@import"))
  }
}

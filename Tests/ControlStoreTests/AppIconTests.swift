import Foundation
import Testing
import TestSupport

@testable import Core
@testable import SQLiteStore
@testable import Storage

@Suite("The control store: titles and icons")
struct AppIconTests {
  /// A PNG of one pixel, made with Python's zlib.
  static let png = [UInt8](
    Data(
      base64Encoded: "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGNQ"
        + "aPgPAAJjAaB56d6tAAAAAElFTkSuQmCC")!)

  @Test("an icon is stored byte for byte, changes its tag, and is deleted with its app")
  func icon() throws {
    try withFolder { folder in
      let store = try SQLiteControlStore(folder: folder)
      let app = try store.addApp(bundleID: "a.b", settings: .init(title: "Shop"), key: key("a"), at: day(1))
      #expect(app.displayName == "Shop" && app.settings.iconTag == nil)
      #expect(try store.icon(of: app.id) == nil)
      try store.changeIcon(of: app.id, to: Self.png)
      #expect(try store.icon(of: app.id) == Self.png)
      let tag = try #require(try store.app(bundleID: "a.b")?.settings.iconTag)
      var other = Self.png
      // A bit of the picture; its check sum is the browser's business.
      other[45] ^= 1
      try store.changeIcon(of: app.id, to: other)
      #expect(try store.app(bundleID: "a.b")?.settings.iconTag != tag)
      var settings = try #require(try store.app(bundleID: "a.b")).settings
      settings.title = nil
      try store.changeSettings(of: app.id, to: settings)
      let reopened = try #require(try SQLiteControlStore(folder: folder).app(bundleID: "a.b"))
      #expect(reopened.displayName == "a.b" && reopened.settings.iconTag != nil)
      try store.removeApp(app.id)
      #expect(try store.icon(of: app.id) == nil)
      #expect(throws: ControlError.self) { try store.changeIcon(of: app.id, to: Self.png) }
    }
  }

  @Test("only a complete PNG of a limited size is an icon")
  func faults() {
    #expect(AppIcon.fault(of: Self.png) == nil)
    for length in 0..<Self.png.count { #expect(AppIcon.fault(of: Array(Self.png.prefix(length))) != nil, "\(length)") }
    #expect(AppIcon.fault(of: Self.png + Array("<script>".utf8)) != nil)
    #expect(AppIcon.fault(of: Array("<svg xmlns='http://www.w3.org/2000/svg'/>".utf8)) != nil)
    #expect(AppIcon.fault(of: Self.png + [UInt8](repeating: 0, count: AppIcon.mostBytes)) != nil)
    // Width and height follow the signature, the chunk's length and its type.
    for (index, byte) in [(16, UInt8(0xFF)), (19, 0), (20, 0xFF), (23, 0)] {
      var wrong = Self.png
      wrong[index] = byte
      #expect(AppIcon.fault(of: wrong) != nil, "\(index)")
    }
    var endless = Self.png
    endless.replaceSubrange(33..<37, with: [0xFF, 0xFF, 0xFF, 0xFF])
    #expect(AppIcon.fault(of: endless) != nil)
  }

  @Test("a title is one line of 1 to 80 visible characters")
  func titles() throws {
    for title in ["S", "Käse & Brot", "買い物", String(repeating: "x", count: 80)] {
      #expect(AppSettings.isTitle(title), "\(title)")
    }
    for title in ["", " Shop", "Shop ", "a\nb", "a\u{202E}b", "a\u{0}", String(repeating: "x", count: 81)] {
      #expect(!AppSettings.isTitle(title), "\(title)")
      try withFolder { folder in
        let store = try SQLiteControlStore(folder: folder)
        #expect(throws: ControlError.self) {
          try store.addApp(bundleID: "a.b", settings: .init(title: title), key: key("a"), at: day(1))
        }
      }
    }
  }
}

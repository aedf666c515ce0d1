import Foundation
import Testing

@testable import PlumbClient

@Suite("The package")
struct PackageTests {
  private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  @Test("the privacy manifest lists the data that is sent and no tracking, and is a property list that Xcode can read")
  func privacyManifest() throws {
    let data = try Data(contentsOf: Self.folder.appendingPathComponent("Sources/PlumbClient/PrivacyInfo.xcprivacy"))
    let manifest = try #require(try PropertyListSerialization.propertyList(from: data, format: nil) as? [String: Any])
    #expect(manifest["NSPrivacyTracking"] as? Bool == false)
    #expect((manifest["NSPrivacyTrackingDomains"] as? [String])?.isEmpty == true)
    let types = try #require(manifest["NSPrivacyCollectedDataTypes"] as? [[String: Any]])
    #expect(
      types.map { $0["NSPrivacyCollectedDataType"] as? String } == [
        "NSPrivacyCollectedDataTypeCrashData", "NSPrivacyCollectedDataTypePerformanceData",
        "NSPrivacyCollectedDataTypeOtherDiagnosticData",
      ])
    #expect(types.allSatisfy { $0["NSPrivacyCollectedDataTypeTracking"] as? Bool == false })
    // On an Apple TV, the decision about consent is in the app's own defaults.
    let used = try #require(manifest["NSPrivacyAccessedAPITypes"] as? [[String: Any]])
    #expect(used.map { $0["NSPrivacyAccessedAPIType"] as? String } == ["NSPrivacyAccessedAPICategoryUserDefaults"])
    #expect(used.map { $0["NSPrivacyAccessedAPITypeReasons"] as? [String] } == [["CA92.1"]])
  }

  /// Apple wants a reason for each of these. The manifest gives one for `UserDefaults` only.
  @Test("the package uses no other API for which Apple requires a reason")
  func requiredReasons() throws {
    let needing = [
      "systemUptime", "mach_absolute_time", "creationDate", "modificationDate",
      "contentModificationDate",
      "volumeAvailableCapacity", "systemFreeSize", "statfs", "fstat", "getattrlist", "activeInputModes", "stat(",
    ]
    let sources = Self.folder.appendingPathComponent("Sources")
    let names = try #require(FileManager.default.enumerator(atPath: sources.path)?.allObjects as? [String])
    let files = names.filter { $0.hasSuffix(".swift") || $0.hasSuffix(".c") }
    #expect(files.count > 20)
    for name in files {
      let text = try String(contentsOf: sources.appendingPathComponent(name), encoding: .utf8)
      for api in needing { #expect(!text.contains(api), "\(name) uses \(api)") }
    }
  }

  @Test("without a start every function of the client does nothing")
  func notStarted() {
    Plumb.measure(1, Metric("x", unit: .ratio))
    Plumb.count(1, Metric("x", unit: .count))
    Plumb.startInteraction("Buy")?.stop()
    Plumb.startFlow("Checkout")?.stop()
    Plumb.recordAllocation(bytes: 1)
    Plumb.recordRequest(host: "api.example.com", endpoint: "GET /products/{id}", seconds: 0.1, bytes: 1000)
    Plumb.watch(imageCache: "thumbnails") { 1 }
    #expect(Plumb.measureImageDecoding { 7 } == 7)
    #expect(Plumb.startScreen("Cart") == nil)
    #expect(Plumb.filesWaiting == 0)
  }

  @Test("measurements through the public functions are in the document under the catalogue's names")
  func client() async throws {
    let place = TemporaryFolder()
    var options = PlumbOptions()
    options.notesCrashSignals = false
    options.limits.files = 20
    let origin = Origin.current(environment: "testflight", attributes: ["experiment": "new-cart"])
    #expect(origin.environment == "testflight")
    #expect(origin.system.hasPrefix("Linux") || origin.system.contains("OS"))
    let client = try VitalsClient(
      server: try #require(URL(string: "https://plumb.example")), key: "KEY", options: options, origin: origin,
      folder: place.url, transport: ScriptedTransport([]))
    client.start()
    client.enterForeground()
    client.watch(cache: "thumbnails") { 12_000_000 }
    client.buffer.add(3, .imageDecode)
    client.receive(metricKit: Data(#"{"timeStampBegin":"2026-11-20 00:00:00"}"#.utf8))
    client.blocks?.begin()
    client.recordError()
    client.enterBackground()
    #expect(await eventually { client.payloads.files.count == 4 })
    let documents = try client.payloads.files.map { file in
      (file.kind, try String(contentsOf: client.payloads.url(of: file), encoding: .utf8))
    }
    #expect(documents.map(\.0).filter { $0 == .sessions }.count == 2)
    #expect(documents.filter { $0.0 == .metricKit }.map(\.1) == [#"{"timeStampBegin":"2026-11-20 00:00:00"}"#])
    let measured = try #require(documents.first { $0.0 == .measurements }?.1)
    #expect(
      measured.contains("image.cache_bytes") && measured.contains("thumbnails") && measured.contains("image.decode"))
    #expect(documents.contains { $0.1.contains(#""status":"errored""#) })
    let own = documents.filter { $0.0 != .metricKit }
    #expect(own.allSatisfy { $0.1.contains(#""attributes":{"experiment":"new-cart"}"#) })
  }
}

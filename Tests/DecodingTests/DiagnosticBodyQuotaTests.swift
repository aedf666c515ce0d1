import Foundation
import Testing

@testable import Core
@testable import Ingest
@testable import Storage

/// In a storm of one crash, only as many diagnostics as the store keeps have their JSON.
struct DiagnosticBodyQuotaTests {
  private static let noon = Timestamp(milliseconds: 1_795_168_800_000)

  private static func payload(offset: Int, address: Int = 0x1_0000_1000, exception: Int = 1) -> String {
    """
    {"crashDiagnostics":[{"version":"1.0.0","diagnosticMetaData":{"appVersion":"4.2.0","appBuildVersion":"1",\
    "exceptionType":\(exception),"signal":11,"osVersion":"iPhone OS 17.4.1 (21E236)","deviceType":"iPhone15,2"},\
    "callStackTree":{"callStackPerThread":true,"callStacks":[{"threadAttributed":true,"callStackRootFrames":[{\
    "binaryName":"Shop","binaryUUID":"70B89F27-1634-3580-A695-57CDB41D7743","address":\(address),\
    "offsetIntoBinaryTextSegment":\(offset),"sampleCount":1}]}]}}],\
    "timeStampBegin":"2026-11-19 00:00:00","timeStampEnd":"2026-11-19 23:59:00"}
    """
  }

  /// The bodies of diagnostics that arrive one after another.
  private static func bodies(
    _ payloads: [String], _ quota: DiagnosticBodyQuota?, app: AppID = 1, at time: Timestamp = noon
  ) throws -> [[UInt8]] {
    let decoder = PayloadDecoder()
    return try payloads.map { payload in
      var context = DecodingContext(received: time)
      context.bodies = quota.map { DiagnosticBodyQuota.OfApp(quota: $0, app: app) }
      let decoded = try Array(payload.utf8).withUnsafeBytes {
        try decoder.decode($0, isPadded: false, as: .sniffed, layout: nil, context)
      }
      return try #require(decoded.reports.first?.diagnostics.first).body
    }
  }

  @Test("of equal stacks, the first of a minute keep their JSON, wherever the app was loaded")
  func storm() throws {
    let quota = DiagnosticBodyQuota(most: 15)
    let storm = (0..<40).map { Self.payload(offset: 4_096, address: 0x1_0000_1000 + $0 * 0x4000) }
    let found = try Self.bodies(storm, quota)
    #expect(found.map(\.isEmpty) == (0..<40).map { $0 >= 15 })
    #expect(try Self.bodies(Array(storm.prefix(15)), nil) == Array(found.prefix(15)))
    // Another stack, exception or app, and the next minute.
    #expect(try Self.bodies([Self.payload(offset: 8_192)], quota) != [[]])
    #expect(try Self.bodies([Self.payload(offset: 4_096, exception: 6)], quota) != [[]])
    #expect(try Self.bodies([storm[0]], quota, app: 2) != [[]])
    #expect(try Self.bodies([storm[0]], quota) == [[]])
    #expect(try Self.bodies([storm[0]], quota, at: Timestamp(milliseconds: Self.noon.milliseconds + 60_000)) != [[]])
  }

  @Test("diagnostics without a stack keep their JSON, and the table of stacks is bounded")
  func bounds() throws {
    let quota = DiagnosticBodyQuota(most: 2)
    let empty = Self.payload(offset: 1).replacing(
      /"callStackTree".*"timeStampBegin"/.dotMatchesNewlines(),
      with: {
        _ in #""callStackTree":{"callStacks":[]}}],"timeStampBegin""#
      })
    #expect(try Self.bodies(Array(repeating: empty, count: 5), quota).allSatisfy { !$0.isEmpty })
    for stack in 0..<30_000 { #expect(quota.admits(UInt64(stack), at: Self.noon)) }
    // Of those that are not counted, all are kept.
    for _ in 0..<5 { #expect(quota.admits(29_999, at: Self.noon)) }
    #expect(quota.admits(1, at: Self.noon))
    #expect(!quota.admits(1, at: Self.noon))
  }
}

internal import Core

/// The reports of a request, one per origin, and the number of points or records that were left out.
struct OTLPReports {
  private(set) var reports: [Report] = []
  private var indexOfReport: [Key: Int] = [:]
  private var last: (origin: OTLPOrigin, index: Int)?
  private var rejected = 0
  private var message: String?
  private var skipped: [String: PartialRejection] = [:]

  /// The fields of an origin that two resources must share to be stored in one report.
  private struct Key: Hashable {
    let environment: String
    let bundleID: String?
    let release: Release
    let device: Device
    let attributes: [AppAttribute]
  }

  /// Changes the report of an origin. Its first change creates the report.
  mutating func update(_ origin: OTLPOrigin, _ change: (inout Report) -> Void) throws(DecodingFailure) {
    // Fast path: the points and records of one resource are adjacent.
    if let last, last.origin == origin { return change(&reports[last.index]) }
    let key = Key(
      environment: origin.environment, bundleID: origin.bundleID, release: origin.release, device: origin.device,
      attributes: origin.attributes)
    if let index = indexOfReport[key] { last = (origin, index) }
    if let index = indexOfReport[key] { return change(&reports[index]) }
    guard reports.count < DecodingLimits.documents else {
      throw DecodingFailure(.value, "a request may come from at most \(DecodingLimits.documents) different origins")
    }
    indexOfReport[key] = reports.count
    last = (origin, reports.count)
    var report = Report(
      source: .otlp, environment: origin.environment, bundleID: origin.bundleID, release: origin.release,
      device: origin.device, attributes: origin.attributes)
    change(&report)
    reports.append(report)
  }

  /// Counts points or records that are not stored. The response contains the first reason.
  mutating func reject(_ reason: @autoclosure () -> String, count: Int = 1) {
    guard count > 0 else { return }
    rejected = rejected.saturatingAdd(count)
    if message == nil { message = reason() }
  }

  /// Counts an event that is never stored. `kind` must be one of few texts.
  mutating func skip(_ kind: String) { skipped[kind, default: PartialRejection(count: 0, message: "")].count += 1 }

  var decoded: Decoded {
    Decoded(
      reports: reports, rejection: message.map { PartialRejection(count: rejected, message: $0) }, skipped: skipped)
  }
}

internal import Core

/// The reports of a request, one per origin, and the number of points or records that were left out.
struct OTLPReports {
  private(set) var reports: [Report] = []
  /// The indices of reports; empty while there is one origin, as in most requests.
  private var indexOfReport: [Key: Int] = [:]
  /// The origin of the preceding point or record, and the index of its report.
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

    init(_ origin: OTLPOrigin) {
      (environment, bundleID, release) = (origin.environment, origin.bundleID, origin.release)
      (device, attributes) = (origin.device, origin.attributes)
    }
  }

  /// Changes the report of an origin.
  mutating func update(_ origin: OTLPOrigin, _ change: (inout Report) -> Void) throws(DecodingFailure) {
    update(at: try index(of: origin), change)
  }

  mutating func update(at index: Int, _ change: (inout Report) -> Void) { change(&reports[index]) }

  /// The index of an origin's report. The first call for an origin creates the report.
  mutating func index(of origin: OTLPOrigin) throws(DecodingFailure) -> Int {
    // Fast path: the points and records of one resource are adjacent.
    if let last, last.origin == origin { return last.index }
    let index = try newIndex(of: origin)
    last = (origin, index)
    return index
  }

  private mutating func newIndex(of origin: OTLPOrigin) throws(DecodingFailure) -> Int {
    if let last {
      if indexOfReport.isEmpty { indexOfReport[Key(last.origin)] = last.index }
      if let known = indexOfReport[Key(origin)] { return known }
      guard reports.count < DecodingLimits.documents else {
        throw DecodingFailure(.value, "a request may come from at most \(DecodingLimits.documents) different origins")
      }
      indexOfReport[Key(origin)] = reports.count
    }
    reports.append(
      Report(
        source: .otlp, environment: origin.environment, bundleID: origin.bundleID, release: origin.release,
        device: origin.device, attributes: origin.attributes))
    return reports.count - 1
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

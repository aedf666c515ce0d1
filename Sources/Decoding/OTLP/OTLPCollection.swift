internal import Telemetry

/// The reports a request becomes, one for each origin, and what was left out of it.
struct OTLPCollection {
  private(set) var reports: [Report] = []
  private var places: [Key: Int] = [:]
  private var last: (origin: OTLPOrigin, place: Int)?
  private var rejected = 0
  private var message: String?

  /// What must be equal for two resources to share a report.
  private struct Key: Hashable {
    let environment: String
    let bundleID: String?
    let release: Release
    let device: Device
  }

  /// Changes the report of an origin, which exists from the first change on.
  mutating func update(_ origin: OTLPOrigin, _ change: (inout Report) -> Void) throws(DecodingFailure) {
    // Points and records of one resource come one after the other.
    if let last, last.origin == origin { return change(&reports[last.place]) }
    let key = Key(
      environment: origin.environment, bundleID: origin.bundleID, release: origin.release, device: origin.device)
    if let place = places[key] { last = (origin, place) }
    if let place = places[key] { return change(&reports[place]) }
    guard reports.count < Limits.documents else {
      throw DecodingFailure(.value, "a request may come from at most \(Limits.documents) different origins")
    }
    places[key] = reports.count
    last = (origin, reports.count)
    var report = Report(
      source: .otlp, environment: origin.environment, bundleID: origin.bundleID, release: origin.release,
      device: origin.device)
    change(&report)
    reports.append(report)
  }

  /// Counts points or records that are not kept; the client is told about the first.
  mutating func reject(_ reason: @autoclosure () -> String, count: Int = 1) {
    guard count > 0 else { return }
    rejected = rejected.saturatingAdd(count)
    if message == nil { message = reason() }
  }

  var decoded: Decoded {
    Decoded(
      reports: reports, rejection: message.map { PartialRejection(count: rejected, message: $0) })
  }
}

/// Why a metric or a point of it is not kept, for the client's developer.
struct OTLPRefusal: Error {
  let message: String

  init(_ message: String) { self.message = message }
}

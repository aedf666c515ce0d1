import HTTP
import Synchronization
import Telemetry

/// Pages as they were sent last. For three seconds they are sent again as they are; later only if nothing has changed
/// since they were made, and for five minutes at most: some numbers are about the moment of reading, in steps of five
/// minutes. The least recently used go when 32 MB are full.
final class PageCache: Sendable {
  private let state = Mutex(State())

  private struct State {
    var entries: [String: Entry] = [:]
    var bytes = 0
    var clock: UInt64 = 0
  }

  private struct Entry {
    let response: Response
    let tag: String
    let size: Int
    let rendered: Timestamp
    /// The version of the data it was made from; nil when unknown.
    let edition: UInt64?
    /// When it was last known to be what would be made anew.
    var checked: Timestamp
    var used: UInt64
  }

  private static let lifetime: Int64 = 3_000
  private static let capacity = 32 << 20

  private static let slot: Int64 = 300_000

  /// The page at `address` if it was made or checked a moment ago, with its ETag.
  func response(_ address: String, at now: Timestamp) -> (response: Response, tag: String)? {
    state.withLock { state in
      guard var entry = state.entries[address], now.milliseconds - entry.checked.milliseconds < Self.lifetime,
        now >= entry.checked
      else { return nil }
      state.clock += 1
      entry.used = state.clock
      state.entries[address] = entry
      return (entry.response, entry.tag)
    }
  }

  /// An older page, if it is still what would be made now. `edition` is what the data is like now; nil when that cannot be
  /// told.
  func revalidated(_ address: String, edition: UInt64?, at now: Timestamp) -> (response: Response, tag: String)? {
    state.withLock { state in
      guard let edition, let entry = state.entries[address], entry.edition == edition, now >= entry.checked,
        now.milliseconds / Self.slot == entry.rendered.milliseconds / Self.slot
      else { return nil }
      state.entries[address]?.checked = now
      return (entry.response, entry.tag)
    }
  }

  /// Keeps a page. `response` must carry `tag` as its ETag.
  func keep(
    _ response: Response, tag: String, size: Int, at address: String, rendered: Timestamp, edition: UInt64? = nil
  ) {
    state.withLock { state in
      state.clock += 1
      if let old = state.entries[address] { state.bytes -= old.size }
      state.entries[address] = Entry(
        response: response, tag: tag, size: size, rendered: rendered, edition: edition, checked: rendered,
        used: state.clock)
      state.bytes += size
      while state.bytes > Self.capacity, let oldest = state.entries.min(by: { $0.value.used < $1.value.used }) {
        state.entries[oldest.key] = nil
        state.bytes -= oldest.value.size
      }
    }
  }

  /// Drops every page, after a user changed what they show.
  func forget() { state.withLock { $0 = State() } }

  /// The key of a page. Lengths stand before the parts: a part may hold any separator once it is decoded.
  static func address(of request: RequestSnapshot, isSignedIn: Bool) -> String {
    let isTable = isAPI(request.segments) && (try? APIFormat(request)) == .csv
    let gzip = AcceptHeader.allowsGzip(request.header("Accept-Encoding"))
    return address(request.segments, request.query, isTable: isTable, gzip: gzip, isSignedIn: isSignedIn)
  }

  /// The same of a page, right from the request line; nil for the API, whose form depends on headers.
  static func address(of head: borrowing RequestHead, gzip: Bool, isSignedIn: Bool) -> String? {
    let segments = head.segments
    return isAPI(segments) ? nil : address(segments, head.query, isTable: false, gzip: gzip, isSignedIn: isSignedIn)
  }

  private static func isAPI(_ segments: [String]) -> Bool { segments.first == "api" }

  private static func address(
    _ segments: [String], _ query: [(name: String, value: String)], isTable: Bool, gzip: Bool, isSignedIn: Bool
  ) -> String {
    var address = isTable ? "csv " : ""
    address.reserveCapacity(128)
    address += gzip ? "gzip " : ""
    address += isSignedIn ? "known " : ""
    address += String(segments.count)
    func add(_ part: String) {
      address += " "
      address += String(part.utf8.count)
      address += ":"
      address += part
    }
    for segment in segments { add(segment) }
    for (name, value) in query {
      add(name)
      add(value)
    }
    return address
  }
}

import HTTP
import Synchronization
import Telemetry

/// A cache of rendered pages, of at most 32 MiB; the least recently used are dropped first.
///
/// For three seconds a page is sent again without a check. Later it is sent again only if the data are unchanged, and
/// at most until the current interval of five minutes ends, because some numbers depend on the current time in steps of
/// five minutes.
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
    /// The version of the data that the page was made from; nil if unknown.
    let dataVersion: UInt64?
    /// When the page was last known to be current.
    var checked: Timestamp
    var used: UInt64
  }

  private static let lifetime: Int64 = 3_000
  private static let capacity = 32 << 20

  /// The interval, in milliseconds, in whose steps numbers depend on the current time.
  static let slot: Int64 = 300_000

  /// The page at `address` with its ETag, if it was made or checked within three seconds.
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

  /// An older page with its ETag, if it is still current. `dataVersion`: the current version of the data; nil if
  /// unknown, which never matches.
  func revalidated(_ address: String, dataVersion: UInt64?, at now: Timestamp) -> (response: Response, tag: String)? {
    state.withLock { state in
      guard let dataVersion, let entry = state.entries[address], entry.dataVersion == dataVersion, now >= entry.checked,
        now.milliseconds / Self.slot == entry.rendered.milliseconds / Self.slot
      else { return nil }
      state.entries[address]?.checked = now
      return (entry.response, entry.tag)
    }
  }

  /// Stores a page. `response` must have `tag` as its ETag; `size` is in bytes.
  func keep(
    _ response: Response, tag: String, size: Int, at address: String, rendered: Timestamp, dataVersion: UInt64? = nil
  ) {
    state.withLock { state in
      state.clock += 1
      if let old = state.entries[address] { state.bytes -= old.size }
      state.entries[address] = Entry(
        response: response, tag: tag, size: size, rendered: rendered, dataVersion: dataVersion, checked: rendered,
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

  /// The cache key of a page. Each part is preceded by its length, because a decoded part may contain any separator.
  /// `viewer`: what the page depends on besides (`ReadAccess.Reader.cacheKey`).
  static func address(of request: RequestSnapshot, viewer: String) -> String {
    let isTable = isAPI(request.segments) && (try? APIFormat(request)) == .csv
    let gzip = AcceptHeader.allowsGzip(request.header("Accept-Encoding"))
    return address(request.segments, request.query, isTable: isTable, gzip: gzip, viewer: viewer)
  }

  /// The cache key of a page, computed from the request's head without a copy; nil for the API, whose format depends on
  /// headers.
  static func address(of head: borrowing RequestHead, gzip: Bool, viewer: String) -> String? {
    let segments = head.segments
    return isAPI(segments) ? nil : address(segments, head.query, isTable: false, gzip: gzip, viewer: viewer)
  }

  private static func isAPI(_ segments: [String]) -> Bool { segments.first == "api" }

  private static func address(
    _ segments: [String], _ query: [(name: String, value: String)], isTable: Bool, gzip: Bool, viewer: String
  ) -> String {
    var address = isTable ? "csv " : ""
    address.reserveCapacity(128)
    address += gzip ? "gzip " : ""
    address += viewer
    address += " "
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

import HTTP
import Synchronization
import Telemetry

/// Pages as they were sent last, for at most fifteen seconds; the least recently used go when 32 MB are full.
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
    var used: UInt64
  }

  private static let lifetime: Int64 = 15_000
  private static let capacity = 32 << 20

  /// The page at `address` if it is young enough, with its ETag.
  func response(_ address: String, at now: Timestamp) -> (response: Response, tag: String)? {
    state.withLock { state in
      guard var entry = state.entries[address], now.milliseconds - entry.rendered.milliseconds < Self.lifetime,
        now >= entry.rendered
      else { return nil }
      state.clock += 1
      entry.used = state.clock
      state.entries[address] = entry
      return (entry.response, entry.tag)
    }
  }

  /// Keeps a page. `response` must carry `tag` as its ETag.
  func keep(_ response: Response, tag: String, size: Int, at address: String, rendered: Timestamp) {
    state.withLock { state in
      state.clock += 1
      if let old = state.entries[address] { state.bytes -= old.size }
      state.entries[address] = Entry(
        response: response, tag: tag, size: size, rendered: rendered, used: state.clock)
      state.bytes += size
      while state.bytes > Self.capacity, let oldest = state.entries.min(by: { $0.value.used < $1.value.used }) {
        state.entries[oldest.key] = nil
        state.bytes -= oldest.value.size
      }
    }
  }

  /// What tells one page from another. Lengths stand before the parts: a part may hold any separator once it is decoded.
  static func address(of request: RequestSnapshot, isSignedIn: Bool) -> String {
    let isTable = request.segments.first == "api" && (try? APIFormat(request)) == .csv
    let parts = request.segments + request.query.flatMap { [$0.name, $0.value] } + (isTable ? ["csv"] : [])
    return parts.reduce(into: "\(isSignedIn) \(request.segments.count)") { $0 += " \($1.utf8.count):\($1)" }
  }
}

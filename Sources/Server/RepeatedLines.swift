public import Dispatch
internal import Synchronization

/// Limits log lines that requests cause, so that a client cannot fill the log: of each cause the first line is written
/// at once, and one a minute afterwards, with the number of those that it stands for.
public final class RepeatedLines: Sendable {
  /// Writes a line that stands for `more` others before it.
  public typealias Write = @Sendable (_ more: Int) -> Void

  private struct Series {
    var count = 0
    var last: Write?
  }

  private let pause: DispatchTimeInterval
  /// By cause, while lines of it were written less than the pause ago. The causes are places in the program.
  private let series = Mutex<[String: Series]>([:])

  public init(pause: DispatchTimeInterval = .seconds(60)) { self.pause = pause }

  /// Writes a line of `cause` now, or counts it.
  public func add(_ cause: String, _ write: @escaping Write) {
    let isFirst = series.withLock { series in
      let isFirst = series[cause] == nil
      if isFirst { series[cause] = Series() } else { series[cause]?.count += 1 }
      if !isFirst { series[cause]?.last = write }
      return isFirst
    }
    guard isFirst else { return }
    write(0)
    continueLater(cause)
  }

  private func continueLater(_ cause: String) {
    DispatchQueue.global(qos: .utility).asyncAfter(deadline: .now() + pause) { [self] in
      let ended = series.withLock { series in
        let ended = series.removeValue(forKey: cause)
        // Quiet for the whole pause: the next line is a first one again.
        if ended?.last != nil { series[cause] = Series() }
        return ended
      }
      guard let ended, let write = ended.last else { return }
      write(ended.count - 1)
      continueLater(cause)
    }
  }

  /// A line with the number of others that it stands for.
  public static func text(_ line: String, _ more: Int) -> String {
    more == 0 ? line : "\(line) (and \(more) more of this kind within a minute)"
  }
}

/// An error that stands for others of the same cause.
struct RepeatedError: Error, CustomStringConvertible {
  let description: String

  init(_ error: any Error, _ more: Int) { description = RepeatedLines.text("\(error)", more) }
}

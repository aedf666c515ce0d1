import Dispatch
import Synchronization

/// A queue of work for a few threads, in which clients take fair turns.
///
/// Start-time fair queueing (Goyal, Vin and Cheng, SIGCOMM 1996) with measured costs: the next job is one of the
/// waiting client that has used the least time, so that a flood of expensive work delays only itself. The queue is
/// bounded, and a client may hold at most as many places as are free, so that others always find one.
final class FairQueue<Owner: Hashable & Sendable>: Sendable {
  private struct Line {
    /// Jobs in the order of arrival. Those already taken are nil, so that their memory is freed.
    var jobs: [(@Sendable () -> Void)?] = []
    /// The index of the first job that has not been taken.
    var next = 0
    /// Virtual time in nanoseconds: `State.progress` when the client arrived, plus what its jobs have used since.
    var used: UInt64
    var running = 0

    var waiting: Int { jobs.count - next }
  }

  private struct State {
    var lines: [Owner: Line] = [:]
    var waiting = 0
    var running = 0
    /// The virtual time of the client whose job was taken last, in nanoseconds.
    var progress: UInt64 = 0
  }

  private let queue: DispatchQueue
  private let threads: Int
  private let limit: Int
  private let state = Mutex(State())

  /// Makes a queue in which at most `limit` jobs wait for `threads` threads.
  init(label: String, qos: DispatchQoS = .utility, threads: Int, limit: Int) {
    queue = DispatchQueue(label: label, qos: qos, attributes: .concurrent)
    self.threads = threads
    self.limit = limit
  }

  /// The number of jobs that wait.
  var waiting: Int { state.withLock { $0.waiting } }

  /// Runs `work` when it is the owner's turn. False, without running it, if too many jobs wait already.
  func run(for owner: Owner, _ work: @escaping @Sendable () -> Void) -> Bool {
    let starts: Bool? = state.withLock { state in
      var line = state.lines[owner] ?? Line(used: state.progress)
      // At most as many places as are free then: alone, an owner gets half of them.
      guard line.waiting + 1 <= limit - state.waiting else { return nil }
      line.jobs.append(work)
      state.lines[owner] = line
      state.waiting += 1
      guard state.running < threads else { return false }
      state.running += 1
      return true
    }
    if starts == true { queue.async { self.drain() } }
    return starts != nil
  }

  private func drain() {
    while let (owner, work) = state.withLock({ Self.take(&$0) }) {
      let start = DispatchTime.now().uptimeNanoseconds
      work()
      let cost = DispatchTime.now().uptimeNanoseconds &- start
      state.withLock { Self.finish(owner, cost, &$0) }
    }
  }

  /// Takes the next job. Nil if none waits; the calling thread then no longer counts as running.
  private static func take(_ state: inout State) -> (Owner, @Sendable () -> Void)? {
    let next = state.lines.lazy.filter { $0.value.waiting > 0 }.min { $0.value.used < $1.value.used }
    guard let (owner, found) = next, let work = found.jobs[found.next] else {
      state.running -= 1
      return nil
    }
    var line = found
    line.jobs[line.next] = nil
    line.next += 1
    line.running += 1
    if line.next == line.jobs.count {
      (line.jobs, line.next) = ([], 0)
    } else if line.next >= 64 {
      line.jobs.removeFirst(line.next)
      line.next = 0
    }
    state.lines[owner] = line
    state.waiting -= 1
    state.progress = max(state.progress, line.used)
    return (owner, work)
  }

  private static func finish(_ owner: Owner, _ cost: UInt64, _ state: inout State) {
    guard var line = state.lines[owner] else { return }
    line.running -= 1
    line.used &+= max(1, cost)
    // A client without jobs is forgotten; it starts again at the others' virtual time.
    state.lines[owner] = line.running == 0 && line.waiting == 0 ? nil : line
  }
}

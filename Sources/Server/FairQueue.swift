import Dispatch
import Synchronization

/// A queue of work for a few threads, in which clients take fair turns.
///
/// Start-time fair queueing (Goyal, Vin and Cheng, SIGCOMM 1996) with measured costs: the next job is one of the
/// waiting client that has used the least time, so that a flood of expensive work delays only itself. The queue is
/// bounded, and a client may hold at most as many places as are free, so that others always find one.
///
/// Slow jobs of one client, or of one thing that jobs share (`Share`), never occupy every thread: those beyond their
/// number wait in the queue, and others go before them.
final class FairQueue<Owner: Hashable & Sendable>: Sendable {
  /// Something of which only a number of jobs may run at once, whoever wants them.
  struct Share: Sendable {
    let name: String
    let most: Int
  }

  private struct Job {
    let work: @Sendable () -> Void
    let shares: [Share]
  }

  private struct Line {
    /// Jobs in the order of arrival. Those already taken are nil, so that their memory is freed.
    var jobs: [Job?] = []
    /// The index of the first job that has not been taken.
    var next = 0
    var waiting = 0
    /// Virtual time in nanoseconds: `State.progress` when the client arrived, plus what its jobs have used since.
    var used: UInt64
    var running = 0
  }

  private struct State {
    var lines: [Owner: Line] = [:]
    var waiting = 0
    var running = 0
    /// The running jobs of each share.
    var shared: [String: Int] = [:]
    /// The virtual time of the client whose job was taken last, in nanoseconds.
    var progress: UInt64 = 0
  }

  private let queue: DispatchQueue
  private let threads: Int
  private let most: Int
  private let limit: Int
  private let state = Mutex(State())

  /// Makes a queue in which at most `limit` jobs wait for `threads` threads, of which one owner has at most `most`.
  init(label: String, qos: DispatchQoS = .utility, threads: Int, most: Int = .max, limit: Int) {
    self.most = most
    queue = DispatchQueue(label: label, qos: qos, attributes: .concurrent)
    self.threads = threads
    self.limit = limit
  }

  /// The number of jobs that wait.
  var waiting: Int { state.withLock { $0.waiting } }

  /// Runs `work` when it is the owner's turn. False, without running it, if too many jobs wait already.
  func run(for owner: Owner, _ shares: [Share] = [], _ work: @escaping @Sendable () -> Void) -> Bool {
    let starts: Bool? = state.withLock { state in
      var line = state.lines[owner] ?? Line(used: state.progress)
      // At most as many places as are free then: alone, an owner gets half of them.
      guard line.waiting + 1 <= limit - state.waiting else { return nil }
      line.jobs.append(Job(work: work, shares: shares))
      line.waiting += 1
      state.lines[owner] = line
      state.waiting += 1
      return claimThread(&state)
    }
    if starts == true { queue.async { self.drain() } }
    return starts != nil
  }

  private func drain() {
    while let (owner, job, wakes) = state.withLock({ take(&$0) }) {
      if wakes { queue.async { self.drain() } }
      let start = DispatchTime.now().uptimeNanoseconds
      job.work()
      let cost = DispatchTime.now().uptimeNanoseconds &- start
      state.withLock { Self.finish(owner, job, cost, &$0) }
    }
  }

  /// Whether the caller shall start another thread, which then counts as running: there is one, and a job for it.
  private func claimThread(_ state: inout State) -> Bool {
    guard state.running < threads, state.lines.contains(where: { place(in: $0.value, state) != nil }) else {
      return false
    }
    state.running += 1
    return true
  }

  /// The index of a client's first job that may run now.
  private func place(in line: Line, _ state: State) -> Int? {
    guard line.waiting > 0, line.running < most else { return nil }
    return line.jobs[line.next...].firstIndex { job in
      job.map { $0.shares.allSatisfy { (state.shared[$0.name] ?? 0) < $0.most } } ?? false
    }
  }

  /// Takes the next job. Nil if none may run; the calling thread then no longer counts as running. `wakes`: the caller
  /// shall start another thread, because the end of a job may have let several others run.
  private func take(_ state: inout State) -> (Owner, Job, wakes: Bool)? {
    var next: (owner: Owner, line: Line, index: Int)?
    for (owner, line) in state.lines where line.used < next?.line.used ?? .max {
      if let index = place(in: line, state) { next = (owner, line, index) }
    }
    guard let (owner, found, index) = next, let job = found.jobs[index] else {
      state.running -= 1
      return nil
    }
    next = nil
    var line = found
    line.jobs[index] = nil
    line.waiting -= 1
    line.running += 1
    if line.waiting == 0 {
      (line.jobs, line.next) = ([], 0)
    } else {
      while line.jobs[line.next] == nil { line.next += 1 }
      if line.next >= 64 {
        line.jobs.removeFirst(line.next)
        line.next = 0
      }
    }
    state.lines[owner] = line
    state.waiting -= 1
    state.progress = max(state.progress, line.used)
    for share in job.shares { state.shared[share.name, default: 0] += 1 }
    return (owner, job, claimThread(&state))
  }

  private static func finish(_ owner: Owner, _ job: Job, _ cost: UInt64, _ state: inout State) {
    for share in job.shares {
      let left = (state.shared[share.name] ?? 0) - 1
      state.shared[share.name] = left > 0 ? left : nil
    }
    guard var line = state.lines[owner] else { return }
    line.running -= 1
    line.used &+= max(1, cost)
    // A client without jobs is forgotten; it starts again at the others' virtual time.
    state.lines[owner] = line.running == 0 && line.waiting == 0 ? nil : line
  }
}

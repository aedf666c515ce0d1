import Dispatch
import Foundation
import PayloadRoad
import Synchronization

/// Mutations of small inputs for so many seconds, on every processor: fast, because nothing is instrumented. A trap ends the
/// process; the input that led to it then stands in `last-input-N`, beside where it was started.
enum Fuzzing {
  static func run(_ folder: URL, seconds: Double, seed: UInt64) throws -> Int {
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    let inputs = try names.map { [UInt8](try Data(contentsOf: folder.appending(path: $0))) }.filter { !$0.isEmpty }
    guard !inputs.isEmpty else { throw CocoaError(.fileNoSuchFile) }
    let runs = Atomic<Int>(0)
    let start = DispatchTime.now().uptimeNanoseconds
    let end = start + UInt64(seconds * 1e9)
    DispatchQueue.concurrentPerform(iterations: ProcessInfo.processInfo.activeProcessorCount) { worker in
      let done = work(inputs, seed: seed &* 1_000_003 &+ UInt64(worker), worker, until: end)
      runs.add(done, ordering: .relaxed)
    }
    return runs.load(ordering: .relaxed)
  }

  private static func work(_ inputs: [[UInt8]], seed: UInt64, _ worker: Int, until end: UInt64) -> Int {
    let road = PayloadRoad()
    let crash = CrashFile(worker)
    var mutation = Mutation(seed: seed)
    var runs = 0
    while DispatchTime.now().uptimeNanoseconds < end {
      for input in inputs {
        for _ in 0..<20 {
          let other = inputs[runs &* 7919 % inputs.count]
          let bytes = mutation.mutate(input, with: other)
          crash.note(bytes)
          bytes.withUnsafeBytes { road.travel($0) }
          runs += 1
        }
      }
    }
    crash.remove()
    return runs
  }
}

/// The input being tried, in memory that the kernel writes to a file even when the process ends by a trap.
private final class CrashFile {
  private let path: String
  private let memory: UnsafeMutableRawPointer?
  private static let size = 1 << 16

  init(_ worker: Int) {
    path = "last-input-\(worker)"
    let file = open(path, O_RDWR | O_CREAT | O_TRUNC, 0o600)
    guard file >= 0, ftruncate(file, off_t(Self.size)) == 0,
      let mapped = mmap(nil, Self.size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0), mapped != MAP_FAILED
    else {
      memory = nil
      return
    }
    memory = mapped
    close(file)
  }

  /// The length in four bytes, then the input.
  func note(_ bytes: [UInt8]) {
    guard let memory else { return }
    let count = min(bytes.count, Self.size - 4)
    memory.storeBytes(of: UInt32(count), as: UInt32.self)
    bytes.withUnsafeBytes {
      (memory + 4).copyMemory(from: $0.baseAddress ?? UnsafeRawPointer(memory), byteCount: count)
    }
  }

  func remove() { unlink(path) }
}

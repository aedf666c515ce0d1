import Foundation

/// The files that wait for the server, in a folder that only the queue uses. A file gets its name when it is complete.
/// It is deleted when the server has it, refuses it for good, or a limit requires it.
final class PayloadQueue: @unchecked Sendable {
  // Invariant: `waiting`, `nextSequence` and `lost` are used with `lock` held.
  private let lock = NSLock()
  private var waiting: [QueuedFile] = []
  private var nextSequence = 1
  private var lost: [LossReason: Int] = [:]

  let folder: URL
  private let limits: QueueLimits
  private let clock: ClientClock

  /// Reads the files of an earlier process. Throws if the folder can be neither created nor read.
  init(folder: URL, limits: QueueLimits, clock: ClientClock) throws {
    self.folder = folder
    self.limits = limits
    self.clock = clock
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    for file in try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: [.fileSizeKey]) {
      let size = try file.resourceValues(forKeys: [.fileSizeKey]).fileSize ?? 0
      // An unfinished file, or one that another version wrote, would otherwise stay forever.
      guard let item = QueuedFile(name: file.lastPathComponent, size: size), size > 0 else {
        try FileManager.default.removeItem(at: file)
        continue
      }
      waiting.append(item)
    }
    waiting.sort { $0.sequence < $1.sequence }
    nextSequence = (waiting.last?.sequence ?? 0) + 1
    correctTimes()
    expire()
    makeRoom(bytes: 0, files: 0, keeping: [])
  }

  /// Stores a payload. Returns false and counts it if it is too large or the disk is full.
  @discardableResult
  func add(_ data: Data, _ kind: PayloadKind, keeping underway: Set<String> = []) -> Bool {
    let part = folder.appendingPathComponent("new.part")
    lock.lock()
    defer { lock.unlock() }
    guard fits(data.count, keeping: underway) else { return false }
    for attempt in 0..<2 {
      do {
        try data.write(to: part)
        return try take(part, kind, size: data.count)
      } catch {
        try? FileManager.default.removeItem(at: part)
        // The waiting files may have filled the disk. The least important half is deleted once.
        if attempt == 0 { makeRoom(bytes: limits.bytes / 2, files: limits.files / 2, keeping: underway) }
      }
    }
    lose(.disk)
    return false
  }

  /// Takes over a file on the same volume by renaming it, so that it is never in two places.
  @discardableResult
  func adopt(_ file: URL, _ kind: PayloadKind, keeping underway: Set<String> = []) -> Bool {
    lock.lock()
    defer { lock.unlock() }
    do {
      let size = try file.resourceValues(forKeys: [.fileSizeKey]).fileSize ?? 0
      guard size > 0, fits(size, keeping: underway) else {
        try FileManager.default.removeItem(at: file)
        return false
      }
      return try take(file, kind, size: size)
    } catch {
      lose(.disk)
      return false
    }
  }

  /// The oldest file that is not among `underway`.
  func next(except underway: Set<String>) -> QueuedFile? {
    lock.lock()
    defer { lock.unlock() }
    return waiting.first { !underway.contains($0.name) }
  }

  func url(of file: QueuedFile) -> URL { folder.appendingPathComponent(file.name) }

  /// Deletes a file after its delivery, or for a reason that is counted.
  func remove(_ name: String, lostBy reason: LossReason? = nil) {
    lock.lock()
    defer { lock.unlock() }
    guard let index = waiting.firstIndex(where: { $0.name == name }) else { return }
    delete(at: index, reason)
  }

  /// Deletes every file. Nothing counts as lost. Returns false if a file remains on disk.
  func removeAll() -> Bool {
    lock.lock()
    defer { lock.unlock() }
    waiting = []
    lost = [:]
    do {
      try FileManager.default.removeItem(at: folder)
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      return true
    } catch {
      return false
    }
  }

  /// Deletes files that waited too long.
  func expireOld() {
    lock.lock()
    defer { lock.unlock() }
    expire()
  }

  /// The waiting files.
  var files: [QueuedFile] {
    lock.lock()
    defer { lock.unlock() }
    return waiting
  }

  /// The losses since the last call.
  func takeLosses() -> [LossReason: Int] {
    lock.lock()
    defer { lock.unlock() }
    defer { lost = [:] }
    return lost
  }

  /// Counts data that was lost before it became a file.
  func count(_ reason: LossReason, _ number: Int = 1) {
    lock.lock()
    defer { lock.unlock() }
    lose(reason, number)
  }

  // MARK: With the lock held

  private func fits(_ size: Int, keeping underway: Set<String>) -> Bool {
    guard size <= min(limits.fileBytes, limits.bytes), limits.files > 0 else {
      lose(.large)
      return false
    }
    expire()
    makeRoom(bytes: size, files: 1, keeping: underway)
    let bytes = waiting.reduce(size) { $0 + $1.size }
    guard bytes <= limits.bytes, waiting.count < limits.files else {
      lose(.full)
      return false
    }
    return true
  }

  private func take(_ file: URL, _ kind: PayloadKind, size: Int) throws -> Bool {
    let item = QueuedFile(sequence: nextSequence, created: clock.now(), kind: kind, size: size)
    try FileManager.default.moveItem(at: file, to: url(of: item))
    nextSequence += 1
    waiting.append(item)
    return true
  }

  /// Deletes the least important files, the oldest first, until the given space is free. Files in upload stay.
  private func makeRoom(bytes: Int, files: Int, keeping underway: Set<String>) {
    var used = waiting.reduce(0) { $0 + $1.size }
    while used > max(0, limits.bytes - bytes) || waiting.count > max(0, limits.files - files) {
      let candidates = waiting.indices.filter { !underway.contains(waiting[$0].name) }
      let first = candidates.min {
        (waiting[$0].kind.importance, waiting[$0].sequence) < (waiting[$1].kind.importance, waiting[$1].sequence)
      }
      guard let first else { return }
      used -= waiting[first].size
      delete(at: first, .full)
    }
  }

  private func expire() {
    let now = clock.now()
    for index in waiting.indices.reversed() where now.timeIntervalSince(waiting[index].created) > limits.age {
      // The file was created before the clock was set. It may be in upload under this name, and the next launch
      // corrects it.
      if waiting[index].created.isPlausible { delete(at: index, .expired) }
    }
  }

  /// A file from the future would stay forever, and one from before the clock was set would expire at once. Both begin
  /// to age now.
  private func correctTimes() {
    let now = clock.now()
    for index in waiting.indices {
      let created = waiting[index].created
      guard created > now.addingTimeInterval(60) || (!created.isPlausible && now.isPlausible) else { continue }
      var corrected = waiting[index]
      corrected.created = now
      // If the file cannot be renamed, the limits on bytes and files still hold.
      if (try? FileManager.default.moveItem(at: url(of: waiting[index]), to: url(of: corrected))) != nil {
        waiting[index] = corrected
      }
    }
  }

  private func delete(at index: Int, _ reason: LossReason?) {
    let file = waiting.remove(at: index)
    // The next launch finds a file that cannot be deleted.
    try? FileManager.default.removeItem(at: url(of: file))
    if let reason { lose(reason) }
  }

  private func lose(_ reason: LossReason, _ number: Int = 1) { lost[reason, default: 0] += number }
}

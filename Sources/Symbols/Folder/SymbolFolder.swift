import Core
import Glibc
import Synchronization

/// A folder of uploaded symbols, one file per UUID, with an index in memory that is built from the files. Several
/// processes may share a folder: each checks for changes by others at every lookup.
public final class SymbolFolder: Sendable {
  /// The maximum size of all symbols, in bytes. Beyond it, the least recently used symbols are evicted.
  public let limit: Int
  /// The maximum number of files. Even a small file takes memory in the index and a block on disk.
  let most: Int
  /// The path of the folder for uploads in progress, on the same disk.
  public var incoming: String { files.path + "/incoming" }

  let files: SymbolFolderFiles
  private let counter: ChangeCounter
  private let index: Mutex<Index>

  private struct Index {
    var generation = -1
    private(set) var symbols: [String: StoredSymbols] = [:]
    /// The size of all symbols, in bytes.
    private(set) var bytes = 0

    subscript(uuid: String) -> StoredSymbols? {
      get { symbols[uuid] }
      set {
        bytes += (newValue?.size ?? 0) - (symbols[uuid]?.size ?? 0)
        symbols[uuid] = newValue
      }
    }

    mutating func replaceAll(_ all: [StoredSymbols]) {
      symbols = Dictionary(all.map { ($0.uuid, $0) }) { first, _ in first }
      bytes = symbols.values.reduce(0) { $0 + $1.size }
    }
  }

  /// Opens the folder, which is created if it does not exist.
  public convenience init(path: String, limit: Int = 20 << 30) throws(SymbolFolderError) {
    try self.init(path: path, limit: limit, most: 100_000)
  }

  init(path: String, limit: Int, most: Int) throws(SymbolFolderError) {
    self.limit = limit
    self.most = most
    files = try SymbolFolderFiles(creating: path)
    counter = try ChangeCounter(path: files.changes)
    index = Mutex(Index())
    files.clearIncoming()
  }

  /// A number that grows whenever symbols are added or removed, also across restarts.
  var generation: Int { counter.value }

  /// All stored symbols, sorted by name, then by upload time.
  public func all() -> [StoredSymbols] {
    current { $0.symbols.values.sorted { ($0.name, $0.uploaded, $0.uuid) < ($1.name, $1.uploaded, $1.uuid) } }
  }

  /// The symbols with this UUID; nil if there are none.
  public func symbols(uuid: String) -> StoredSymbols? { current { $0[uuid] } }

  /// The path of the file that stores the symbols of a binary.
  func path(of uuid: String) -> String { files.symbols(uuid) }

  /// The path of the folder, which a child process may read.
  var path: String { files.path }

  /// Deletes the symbols with this UUID; returns false if there are none.
  public func remove(uuid: String) -> Bool {
    change { index in
      guard index[uuid] != nil else { return (false, false) }
      index[uuid] = nil
      files.remove(uuid)
      return (true, true)
    }
  }

  /// Marks stored symbols as unusable, with the reason.
  func quarantine(uuid: String, because trouble: String) {
    change { index in
      guard var symbols = index[uuid] else { return ((), false) }
      symbols.trouble = trouble
      index[uuid] = symbols
      if let side = try? SymbolMetadata(symbols).encoded() { try? files.write(side, of: uuid) }
      return ((), true)
    }
  }

  /// Stores the time of a lookup, at most once an hour.
  func markUsed(uuid: String, at now: Timestamp) {
    let isDue = current { index in
      guard let used = index[uuid]?.used, now.milliseconds - used.milliseconds > 3_600_000 else { return false }
      index[uuid]?.used = now
      return true
    }
    if isDue { files.markUsed(uuid, at: now) }
  }

  /// Whether a stored file is new or replaced another one.
  enum Keeping {
    case new, replaced
  }

  /// Stores a file under its UUID. A later upload replaces an earlier one.
  func keep(_ symbols: StoredSymbols, _ file: TemporaryFile) throws -> Keeping {
    try change { index in
      // A file on which the symbolizer failed is replaced even by an identical one.
      let isKnown = index[symbols.uuid].map { $0.trouble == nil } ?? false
      try files.place(file, as: symbols.uuid, try SymbolMetadata(symbols).encoded())
      files.markUsed(symbols.uuid, at: symbols.used)
      index[symbols.uuid] = symbols
      makeRoom(in: &index, sparing: symbols.uuid)
      return (isKnown ? .replaced : .new, true)
    }
  }

  func temporary() throws(SymbolFolderError) -> TemporaryFile { try files.temporary() }

  /// Evicts symbols beyond the limits: first those of the system, which can be extracted again, then the least recently
  /// used ones.
  private func makeRoom(in index: inout Index, sparing new: String) {
    guard index.bytes > limit || index.symbols.count > most else { return }
    // One percent more than necessary is evicted, because each scan of all files is expensive.
    let number = index.symbols.count > most ? most - most / 100 : most
    let oldest = index.symbols.values.sorted {
      ($0.isSystem ? 0 : 1, $0.used, $0.uuid) < ($1.isSystem ? 0 : 1, $1.used, $1.uuid)
    }
    for old in oldest where old.uuid != new {
      guard index.bytes > limit || index.symbols.count > number else { return }
      files.remove(old.uuid)
      index[old.uuid] = nil
    }
  }

  private func change<Result: Sendable>(_ body: (inout Index) throws -> (Result, isChange: Bool)) rethrows -> Result {
    try index.withLock { index in
      try counter.locked {
        refresh(&index)
        let (result, isChange) = try body(&index)
        // The index already has this process's own change.
        if isChange { index.generation += 1 }
        return (result, isChange)
      }
    }
  }

  /// A number that changes with every change of the folder.
  public var changeNumber: Int { counter.value }

  /// Notes that files were placed in the folder by others, so that every process reads it again.
  public func noteChange() { counter.locked { ((), true) } }

  private func current<Result: Sendable>(_ body: (inout Index) -> Result) -> Result {
    index.withLock { index in
      refresh(&index)
      return body(&index)
    }
  }

  private func refresh(_ index: inout Index) {
    let generation = counter.value
    guard generation != index.generation else { return }
    index.replaceAll(files.all())
    index.generation = generation
  }
}

/// The error for a failed operation on the folder's files.
public struct SymbolFolderError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The operation, the path and the system's error message.
  public let description: String

  /// Creates an error from `errno`, directly after a failed system call.
  init(_ what: String, _ path: String) {
    description = "\(what) \(path): \(String(cString: strerror(errno)))"
  }
}

/// A number in a file that every process increments when it changes the folder, and the lock for such changes. Reading
/// it costs one `pread` of 20 bytes.
final class ChangeCounter: Sendable {
  private let descriptor: Int32

  init(path: String) throws(SymbolFolderError) {
    descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw SymbolFolderError("cannot open", path) }
  }

  deinit { close(descriptor) }

  /// The folder's current change number; 0 if it was never changed.
  var value: Int {
    var text = [UInt8](repeating: 0, count: 20)
    let read = pread(descriptor, &text, text.count, 0)
    return Int(String(decoding: text.prefix(max(0, read)), as: UTF8.self)) ?? 0
  }

  /// Runs `change` while holding the lock, and increments the number if it returns `isChange`.
  func locked<Result>(_ change: () throws -> (Result, isChange: Bool)) rethrows -> Result {
    while flock(descriptor, LOCK_EX) != 0, errno == EINTR {}
    defer { flock(descriptor, LOCK_UN) }
    let (result, isChange) = try change()
    if isChange {
      let digits = String(value + 1)
      let text = Array((String(repeating: "0", count: max(0, 20 - digits.utf8.count)) + digits).utf8)
      _ = pwrite(descriptor, text, text.count, 0)
    }
    return result
  }
}

extension SymbolFolder {
  /// Checks the headers of all stored symbols. Returns their number, and a sentence for each file that cannot be used.
  public func unreadable() -> (count: Int, faults: [String]) {
    let uuids = SymbolFolderFiles.names(in: path).filter { $0.utf8.count == 2 }.flatMap { part in
      SymbolFolderFiles.names(in: path + "/" + part).filter { $0.hasSuffix(".macho") }.map { String($0.dropLast(6)) }
    }
    return (uuids.count, uuids.compactMap { uuid in fault(of: uuid).map { "\(uuid): \($0)" } })
  }

  private func fault(of uuid: String) -> String? {
    guard let file = OpenFile(path: path(of: uuid), followsLinks: false) else { return "its file cannot be read" }
    do throws(MachOProblem) {
      let image = try MachOReader.images(in: file).first { $0.uuid == uuid }
      guard image != nil else { return "its file has no symbols with this UUID" }
    } catch {
      return "its file is damaged: \(error)"
    }
    guard let side = OpenFile(path: files.side(uuid)), side.count < 1 << 20, let bytes = side.bytes(0..<side.count),
      SymbolMetadata.decode(bytes) != nil
    else { return "its metadata cannot be read" }
    return nil
  }
}

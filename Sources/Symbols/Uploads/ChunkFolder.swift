public import Core
internal import Glibc
internal import Synchronization

/// A folder for chunks of files that clients upload before they name the complete file. A chunk is deleted an hour
/// after its last use, and all chunks when the process starts.
///
/// A chunk is named by its SHA-1, which is checked. The owner of a chunk is the token that sent it. An owner may store
/// at most as many bytes as are then free, so that other owners always have space.
public final class ChunkFolder: Sendable {
  /// The maximum size of a chunk, in bytes.
  public static let mostBytes = 8 << 20
  /// Even a small file takes a block on disk.
  private static let block = 4096
  /// The time after which an unused chunk is deleted, in milliseconds.
  static let lifetime: Int64 = 3_600_000

  private struct Key: Hashable {
    var owner: Int32
    var name: String
  }

  private struct Chunk {
    var size: Int
    var used: Timestamp
  }

  private struct State {
    var chunks: [Key: Chunk] = [:]
    /// The size of all chunks, in bytes.
    var size = 0
    var sizes: [Int32: Int] = [:]
    var isRemovalPlanned = false

    mutating func put(_ chunk: Chunk, _ key: Key) {
      remove(key)
      chunks[key] = chunk
      size += chunk.size
      sizes[key.owner, default: 0] += chunk.size
    }

    mutating func remove(_ key: Key) {
      guard let chunk = chunks.removeValue(forKey: key) else { return }
      size -= chunk.size
      let left = (sizes[key.owner] ?? 0) - chunk.size
      sizes[key.owner] = left > 0 ? left : nil
    }
  }

  private let path: String
  /// The maximum size of all chunks, in bytes.
  let limit: Int
  private let state = Mutex(State())

  /// Empties or creates the folder next to the uploads of `symbols`. Only one process may use it. `limit`: the maximum
  /// size of all chunks, in bytes.
  public init(of symbols: SymbolFolder, limit: Int) throws(SymbolFolderError) {
    // Backups skip this name, like that of the folder for uploads in progress.
    (path, self.limit) = (symbols.incoming + "-pieces", limit)
    guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw SymbolFolderError("cannot create", path) }
    for name in SymbolFolderFiles.names(in: path) { unlink("\(path)/\(name)") }
  }

  /// The result of adding a chunk.
  public enum Outcome: Sendable, Equatable {
    case stored
    /// The bytes have another checksum than the chunk's name.
    case damaged
    /// The owner has stored as much as allowed.
    case full
  }

  /// Stores one chunk, or records its use if it is already stored.
  public func add(
    _ bytes: UnsafeRawBufferPointer, named name: String, of owner: Int32, at now: Timestamp
  ) throws -> Outcome {
    guard Self.sha1(bytes) == name.lowercased() else { return .damaged }
    let key = Key(owner: owner, name: name.lowercased())
    let chunk = Chunk(size: max(Self.block, bytes.count), used: now)
    let (isKnown, hasRoom) = state.withLock { state in
      (state.chunks[key] != nil, (state.sizes[owner] ?? 0) + chunk.size <= limit - state.size)
    }
    if !isKnown {
      guard hasRoom else { return .full }
      let file = try TemporaryFile(in: path)
      try file.append(bytes)
      try file.rename(to: place(of: key))
    }
    state.withLock { $0.put(chunk, key) }
    return .stored
  }

  /// The chunks among `names` that the owner must still send.
  public func missing(_ names: [String], of owner: Int32, at now: Timestamp) -> [String] {
    state.withLock { state in
      names.filter { name in
        let key = Key(owner: owner, name: name.lowercased())
        guard let chunk = state.chunks[key], !Self.isOld(chunk, now) else { return true }
        state.chunks[key]?.used = now
        return false
      }
    }
  }

  /// Joins chunks to a temporary file of `folder`. Returns nil before anything is written if a chunk is missing, if
  /// they have more than `most` bytes, or if the SHA-1 of the result is not `sum`. `most` is reduced by the number of
  /// bytes that were read.
  public func file(
    of names: [String], owner: Int32, sum: String, most: inout Int, in folder: SymbolFolder
  ) throws -> TemporaryFile? {
    var hash = MessageDigest(.sha1)
    let isWhole = read(names, of: owner) { piece, size in
      guard size <= most else { return false }
      most -= size
      hash.update(piece)
      return true
    }
    guard isWhole, Hex.encode(hash.finalize()) == sum.lowercased() else { return nil }
    let whole = try folder.temporary()
    let isWritten = try read(names, of: owner) { piece, _ in
      try whole.append(piece)
      return true
    }
    return isWritten ? whole : nil
  }

  /// Passes the bytes of chunks and their counted sizes to `take` until it returns false. Returns false then, and if a
  /// chunk is missing.
  private func read(
    _ names: [String], of owner: Int32, _ take: (UnsafeRawBufferPointer, Int) throws -> Bool
  ) rethrows -> Bool {
    for name in names {
      let place = place(of: Key(owner: owner, name: name.lowercased()))
      guard let piece = OpenFile(path: place, followsLinks: false) else { return false }
      // An empty file cannot be mapped.
      let mapped = MappedFile(piece)
      let bytes = mapped?.bytes ?? UnsafeRawBufferPointer(start: nil, count: 0)
      guard try take(bytes, max(Self.block, piece.count)) else { return false }
      withExtendedLifetime(mapped) {}
    }
    return true
  }

  /// The size of the owner's chunks among `names` in bytes, each counted once.
  public func size(of names: Set<String>, owner: Int32) -> Int {
    state.withLock { state in
      names.reduce(0) { $0 + (state.chunks[Key(owner: owner, name: $1.lowercased())]?.size ?? 0) }
    }
  }

  /// Deletes chunks that are no longer needed.
  public func remove(_ names: [String], of owner: Int32) {
    for name in names { remove(Key(owner: owner, name: name.lowercased())) }
  }

  /// Whether the caller must schedule `removeUnused`: there are chunks, and no removal is scheduled yet.
  public func plansRemoval() -> Bool {
    state.withLock { state in
      if state.isRemovalPlanned || state.chunks.isEmpty { return false }
      state.isRemovalPlanned = true
      return true
    }
  }

  /// Deletes chunks that were not used for their lifetime.
  public func removeUnused(at now: Timestamp) {
    let old = state.withLock { state in
      state.isRemovalPlanned = false
      return state.chunks.filter { Self.isOld($0.value, now) }.map(\.key)
    }
    for key in old { remove(key) }
  }

  private static func isOld(_ chunk: Chunk, _ now: Timestamp) -> Bool {
    now.milliseconds - chunk.used.milliseconds > lifetime
  }

  /// The size of all chunks, in bytes.
  var size: Int { state.withLock { $0.size } }

  private func remove(_ key: Key) {
    state.withLock { $0.remove(key) }
    unlink(place(of: key))
  }

  /// The path of a chunk. Its name is the checksum of its bytes, so no text from a client gets into a path.
  private func place(of key: Key) -> String {
    let isSum = key.name.utf8.count == 40 && key.name.utf8.allSatisfy(Set("0123456789abcdef".utf8).contains)
    return "\(path)/\(key.owner)-\(isSum ? key.name : "none")"
  }

  private static func sha1(_ bytes: UnsafeRawBufferPointer) -> String {
    var hash = MessageDigest(.sha1)
    hash.update(bytes)
    return Hex.encode(hash.finalize())
  }
}

extension SymbolFolder {
  /// The SHA-1 of the stored symbols of a binary, for which the complete file is read; nil if that fails.
  public func sha1(ofSymbols uuid: String) -> String? {
    guard let file = OpenFile(path: path(of: uuid), followsLinks: false), let mapped = MappedFile(file) else {
      return nil
    }
    var hash = MessageDigest(.sha1)
    hash.update(mapped.bytes)
    return Hex.encode(hash.finalize())
  }
}

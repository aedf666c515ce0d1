public import Core
internal import Glibc
internal import Synchronization

/// Pieces of files that clients upload before they say which file they are parts of. They live for an hour after their
/// last use, and not beyond the process.
///
/// Every piece is named by its SHA-1, which is checked. The owner of a piece is the token that sent it; an owner may hold
/// at most as many bytes as are free then, so that others always find room.
public final class ChunkFolder: Sendable {
  /// The largest piece, in bytes.
  public static let mostBytes = 8 << 20
  /// A small file takes a block of the disk, too.
  private static let block = 4096
  /// How long a piece is kept that is not used, in milliseconds.
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
    /// The bytes of all pieces.
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
  /// The most bytes of all pieces.
  let limit: Int
  private let state = Mutex(State())

  /// Empties the folder beside the uploads of `symbols`, which is created if it does not exist. Only one process may
  /// use it. `limit`: the most bytes of all pieces.
  public init(of symbols: SymbolFolder, limit: Int) throws(SymbolFolderError) {
    // A name that backups leave out, like that of the folder for uploads in progress.
    (path, self.limit) = (symbols.incoming + "-pieces", limit)
    guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw SymbolFolderError("cannot make", path) }
    for name in SymbolFolderFiles.names(in: path) { unlink("\(path)/\(name)") }
  }

  /// What became of a piece.
  public enum Outcome: Sendable, Equatable {
    case stored
    /// Its bytes have another checksum than its name says.
    case damaged
    /// The owner holds as much as it may.
    case full
  }

  /// Stores one piece, or notes its use if it is there.
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

  /// The pieces among `names` that the owner must still send.
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

  /// Joins pieces to a temporary file of `folder`. Nil if one is missing, they are more than `most` bytes, or the whole
  /// has another SHA-1 than `sum`, before anything is written. `most` is less afterwards by the bytes that were read.
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

  /// Passes the bytes of pieces on, and what they count as, until `take` returns false; false also if one is missing.
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

  /// The bytes of the owner's pieces among `names`, each counted once.
  public func size(of names: Set<String>, owner: Int32) -> Int {
    state.withLock { state in
      names.reduce(0) { $0 + (state.chunks[Key(owner: owner, name: $1.lowercased())]?.size ?? 0) }
    }
  }

  /// Deletes pieces that are no longer needed.
  public func remove(_ names: [String], of owner: Int32) {
    for name in names { remove(Key(owner: owner, name: name.lowercased())) }
  }

  /// Whether the caller shall call `removeUnused` after a while: there are pieces, and no removal is planned yet.
  public func plansRemoval() -> Bool {
    state.withLock { state in
      if state.isRemovalPlanned || state.chunks.isEmpty { return false }
      state.isRemovalPlanned = true
      return true
    }
  }

  /// Deletes pieces that were not used for their lifetime, as was planned.
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

  /// The bytes of all pieces.
  var size: Int { state.withLock { $0.size } }

  private func remove(_ key: Key) {
    state.withLock { $0.remove(key) }
    unlink(place(of: key))
  }

  /// The name of a piece that is stored is the checksum of its bytes: no text of a client gets into a path.
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
  /// The SHA-1 of the stored symbols of a binary, for which the whole file is read; nil if it cannot be.
  public func sha1(ofSymbols uuid: String) -> String? {
    guard let file = OpenFile(path: path(of: uuid), followsLinks: false), let mapped = MappedFile(file) else {
      return nil
    }
    var hash = MessageDigest(.sha1)
    hash.update(mapped.bytes)
    return Hex.encode(hash.finalize())
  }
}

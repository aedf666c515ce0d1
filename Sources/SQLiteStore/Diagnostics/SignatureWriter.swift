import Core
import Foundation
import GRDB
import Ingest
import Storage

/// Finds the stored signatures of diagnostics, inserts new ones, and collects the builds and
/// days in which each occurred.
struct SignatureWriter {
  private let database: Database
  private var lifetimes: [Lifetime: (days: ClosedRange<Int>, count: Int)] = [:]
  private var sightings: [Sighting: (signature: DiagnosticSignature, count: Int)] = [:]
  /// The ids of signatures that were looked up.
  private var ids: [AppHash: Int64] = [:]
  private var room: [AppID: Int] = [:]
  private var own: [AppID: Set<String>] = [:]

  private struct Lifetime: Hashable {
    let signature: Int64
    let environment: Int64
    let release: Int64
  }

  private struct AppHash: Hashable {
    let app: AppID
    let hash: UInt64
  }

  /// A signature in a build. Its binaries are counted together.
  private struct Sighting: Hashable {
    let app: AppID
    let release: Int64
    let signature: ObjectIdentifier
  }

  private struct Image: Hashable {
    let app: AppID
    let release: Int64
    let binary: CallTree.Binary
  }

  private let limits: StoreLimits
  /// The admitted new signatures, for apps that have reached their limit.
  private var admitted: [AppID: Set<UInt64>] = [:]

  /// The maximum number of system binaries per build.
  static let mostSystemImages = 500
  /// The maximum number of the app's binaries per build.
  static let mostImages = 2_000

  init(_ database: Database, _ limits: StoreLimits) {
    self.database = database
    self.limits = limits
  }

  /// Decides which new signatures of a batch are admitted. If an app has reached its limit, the most frequent new ones
  /// replace the least used.
  mutating func prepare(_ stacks: [(app: AppID, hash: UInt64)], _ waiting: inout WaitingStacks, today: Int) throws {
    for (app, stacks) in Dictionary(grouping: stacks, by: \.app) {
      let counts = stacks.reduce(into: [UInt64: Int]()) { $0[$1.hash, default: 0] += 1 }
      let known = try count(of: app)
      guard known + counts.count > limits.signatures else { continue }
      let find = try database.cachedStatement(sql: "SELECT 1 FROM signature WHERE app = ? AND hash = ?")
      let new = try counts.filter {
        try Int.fetchOne(find, arguments: [app, Int64(bitPattern: $0.key)]) == nil
      }
      let room = max(limits.newSignatures, limits.signatures - known)
      let chosen = waiting.choose(room, of: new, app: app)
      admitted[app] = chosen
      try SignatureEviction(database).dropLeastUsed(known + chosen.count - limits.signatures, of: app, today: today)
    }
  }

  /// The id of a signature, which is inserted if it is new; nil if it is not admitted.
  mutating func id(of signature: DiagnosticSignature, app: AppID) throws -> Int64? {
    let key = AppHash(app: app, hash: signature.hash)
    if let known = ids[key] { return known }
    let id = try stored(signature, app)
    ids[key] = id
    return id
  }

  private mutating func stored(_ signature: DiagnosticSignature, _ app: AppID) throws -> Int64? {
    let find = try database.cachedStatement(sql: "SELECT id FROM signature WHERE app = ? AND hash = ?")
    let hash = Int64(bitPattern: signature.hash)
    if let known = try Int64.fetchOne(find, arguments: [app, hash]) { return known }
    let table = SQLiteGroupTables(database)
    let assignment = GroupAssignment(table, app: app)
    guard try hasRoom(app, signature.hash) else {
      return try assignment.existingGroup(of: signature).flatMap { try table.anySignature(of: $0) }
    }
    let (group, stack) = try assignment.assign(signature, own: ownBinaries(of: app))
    let insert = try database.cachedStatement(
      sql: "INSERT INTO signature (app, hash, member, exception, generation, stem) VALUES (?, ?, ?, ?, ?, ?)")
    try insert.execute(arguments: [
      app, hash, group, signature.stack.cause.title, SignatureGeneration.new, Data(stack.encoded()),
    ])
    return database.lastInsertedRowID
  }

  mutating func note(_ signature: Int64, _ key: SliceKey, day: CalendarDay) {
    let lifetime = Lifetime(signature: signature, environment: key.environment, release: key.release)
    let known = lifetimes[lifetime] ?? (day.number...day.number, 0)
    lifetimes[lifetime] = (
      min(known.days.lowerBound, day.number)...max(known.days.upperBound, day.number), known.count + 1
    )
  }

  /// Counts the binaries of a diagnostic.
  mutating func noteBinaries(of signature: DiagnosticSignature, _ key: SliceKey) {
    let sighting = Sighting(app: key.app, release: key.release, signature: ObjectIdentifier(signature))
    sightings[sighting, default: (signature, 0)].count += 1
  }

  private var images: [Image: Int] {
    var images: [Image: Int] = [:]
    for (key, (signature, count)) in sightings {
      for binary in Set(signature.binaries) {
        images[Image(app: key.app, release: key.release, binary: binary), default: 0] += count
      }
    }
    return images
  }

  /// Extends a signature's days and increases its count of diagnostics in a build.
  static let addLifetime = """
    INSERT INTO signature_life VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET
    first_day = min(first_day, excluded.first_day), last_day = max(last_day, excluded.last_day),
    count = \(UpsertSum.of("count"))
    """

  func save() throws {
    let insert = try database.cachedStatement(sql: Self.addLifetime)
    for (key, seen) in lifetimes {
      try insert.execute(arguments: [
        key.signature, key.environment, key.release, seen.days.lowerBound, seen.days.upperBound, seen.count,
      ])
    }
    try saveImages()
  }

  private struct Room: Hashable {
    let app: AppID
    let release: Int64
    let isOwn: Bool
  }

  private func imagesLeft(_ room: Room) throws -> Int {
    let known = try Int.fetchOne(
      database.cachedStatement(sql: "SELECT count(*) FROM image WHERE app = ? AND release = ? AND own = ?"),
      arguments: [room.app, room.release, room.isOwn])
    return (room.isOwn ? Self.mostImages : Self.mostSystemImages) - (known ?? 0)
  }

  /// Stores the observed binaries. System binaries are limited per build, because every OS version has hundreds of
  /// distinct ones.
  private func saveImages() throws {
    let update = try database.cachedStatement(
      sql: """
        UPDATE image SET seen = seen + :seen, own = max(own, :own)
        WHERE app = :app AND release = :release AND uuid = :uuid AND name = :name
        """)
    let insert = try database.cachedStatement(
      sql: "INSERT INTO image (app, release, uuid, name, own, seen) VALUES (:app, :release, :uuid, :name, :own, :seen)")
    let images = images
    // Counted once per build, because a report may contain thousands of binaries.
    var rooms: [Room: Int] = [:]
    var unknown: [Room: Int] = [:]
    for (image, count) in images {
      let isOwn = image.binary.origin == .app
      // Made-up names are looked up only until it is clear that none is admitted.
      if let misses = unknown[Room(app: image.app, release: image.release, isOwn: isOwn)], misses > 1_000 { continue }
      let values: StatementArguments = [
        "app": image.app, "release": image.release, "uuid": image.binary.uuid, "name": image.binary.name, "own": isOwn,
        "seen": count,
      ]
      try update.execute(arguments: values)
      if database.changesCount > 0 { continue }
      let room = Room(app: image.app, release: image.release, isOwn: isOwn)
      let left = try rooms[room] ?? imagesLeft(room)
      rooms[room] = left - 1
      if left > 0 { try insert.execute(arguments: values) } else { unknown[room, default: 0] += 1 }
    }
    for app in Set(images.keys.map(\.app)) { try boundImages(of: app) }
  }

  /// Deletes binaries beyond the limit, starting with those in the fewest diagnostics.
  private func boundImages(of app: AppID) throws {
    let count =
      try Int.fetchOne(
        database.cachedStatement(sql: "SELECT count(*) FROM image WHERE app = ?"), arguments: [app]) ?? 0
    guard count > limits.images else { return }
    try database.execute(
      sql: """
        DELETE FROM image WHERE app = ? AND (release, uuid, name) IN (
          SELECT release, uuid, name FROM image WHERE app = ? ORDER BY own, seen, release LIMIT ?)
        """, arguments: [app, app, count - limits.images + limits.images / 20])
  }

  private mutating func ownBinaries(of app: AppID) throws -> Set<String> {
    if let known = own[app] { return known }
    let names = try SQLiteGroupTables(database).ownBinaries(of: app)
    own[app] = names
    return names
  }

  private mutating func hasRoom(_ app: AppID, _ hash: UInt64) throws -> Bool {
    if let admitted = admitted[app] { return admitted.contains(hash) }
    let left = try room[app] ?? limits.signatures - count(of: app)
    room[app] = left - 1
    return left > 0
  }

  private func count(of app: AppID) throws -> Int {
    try Int.fetchOne(
      database.cachedStatement(sql: "SELECT count(*) FROM signature WHERE app = ?"), arguments: [app]) ?? 0
  }
}

/// The counts of new stacks that were not admitted, for apps at their signature limit. Stacks that occur only once
/// displace only each other.
struct WaitingStacks {
  private var counts: [AppID: [UInt64: Int]] = [:]

  private static let most = 2_000
  private static let mostApps = 64

  /// Selects the stacks of `new` that occurred most often, in this batch and before. The counts of the others are kept
  /// for later.
  mutating func choose(_ most: Int, of new: [UInt64: Int], app: AppID) -> Set<UInt64> {
    var waiting = counts[app] ?? [:]
    let ranked = new.map { (hash: $0.key, count: $0.value.saturatingAdd(waiting[$0.key] ?? 0)) }
      .sorted { ($0.count, $0.hash) > ($1.count, $1.hash) }
    for stack in ranked.prefix(most) { waiting[stack.hash] = nil }
    for stack in ranked.dropFirst(most).prefix(Self.most) { waiting[stack.hash] = stack.count }
    if waiting.count > Self.most {
      let kept = waiting.sorted { ($0.value, $0.key) > ($1.value, $1.key) }.prefix(Self.most)
      waiting = Dictionary(uniqueKeysWithValues: kept.map { ($0.key, $0.value) })
    }
    if counts.count >= Self.mostApps, counts[app] == nil { counts = [:] }
    counts[app] = waiting
    return Set(ranked.prefix(most).map(\.hash))
  }
}

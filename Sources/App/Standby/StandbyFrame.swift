import Core
import SQLiteStore
import Storage

/// The answer of a primary to a standby that follows it: the primary's state, and what the standby's journal lacks.
struct StandbyFrame: Equatable {
  var epoch: Epoch
  /// The addresses of the primary's standbys.
  var peers: [String]
  /// The number of deletions that the primary has carried out. A standby that was copied before needs a new copy.
  var erasures: Int
  /// Changes with every change of `control.db`.
  var controlTag: String
  /// Changes with every change of symbols and budgets.
  var filesTag: String
  var reading: JournalReading

  private static let version: UInt8 = 2

  private enum Kind: UInt8 {
    case excerpt = 0
    case end = 1
    case purged = 2
    case diverged = 3
  }

  func encoded() -> [UInt8] {
    var writer = ByteWriter()
    writer.byte(Self.version)
    writer.signed(epoch.number)
    writer.string(epoch.promotion ?? "")
    writer.signed(epoch.successor?.number ?? -1)
    writer.string(epoch.successor?.address ?? "")
    writer.count(peers.count)
    for peer in peers { writer.string(peer) }
    writer.count(erasures)
    writer.string(controlTag)
    writer.string(filesTag)
    switch reading {
    case .purged: writer.byte(Kind.purged.rawValue)
    case .diverged: writer.byte(Kind.diverged.rawValue)
    case .excerpt(let excerpt):
      writer.byte((excerpt.end == nil ? Kind.excerpt : .end).rawValue)
      Self.write(excerpt, to: &writer)
    }
    return writer.bytes
  }

  private static func write(_ excerpt: JournalExcerpt, to writer: inout ByteWriter) {
    writer.count(excerpt.batches.count)
    for batch in excerpt.batches {
      writer.signed(batch.first)
      writer.signed(batch.through)
      writer.signed(batch.received)
      writer.signed(batch.dictionary)
      writer.string(batch.origin?.node.text ?? "")
      writer.signed(batch.origin?.position ?? 0)
      writer.blob(batch.records)
    }
    writer.count(excerpt.keys.count)
    for key in excerpt.keys {
      writer.signed(Int64(key.app))
      writer.fixed(key.receipt.key)
      writer.fixed(key.receipt.content)
      writer.signed(key.received)
      writer.signed(key.through)
      writer.signed(key.count)
    }
    guard let end = excerpt.end else { return }
    writer.signed(end.last)
    writer.count(end.nodes.count)
    for node in end.nodes {
      writer.string(node.id.text)
      writer.string(node.name)
      writer.signed(node.position)
      writer.signed(node.heard.milliseconds)
    }
  }
}

extension StandbyFrame {
  /// Decodes an answer. Throws `DamagedBytes`.
  init(_ bytes: UnsafeRawBufferPointer) throws(DamagedBytes) {
    var reader = ByteReader(bytes)
    guard try reader.byte() == Self.version else { throw DamagedBytes(offset: 0) }
    epoch = Epoch(number: try reader.signed())
    let promotion = try reader.string()
    guard promotion.utf8.count <= Epoch.longestPromotion else { throw DamagedBytes(offset: 0) }
    if !promotion.isEmpty { epoch.promotion = promotion }
    let (number, address) = (try reader.signed(), try reader.string())
    if number >= 0 { epoch.successor = Epoch.Successor(number: number, address: address) }
    peers = []
    for _ in 0..<(try reader.count()) {
      peers.append(try reader.string())
      guard peers.count <= SQLiteJournal.mostPeers,
        peers.last.map({ $0.utf8.count <= EpochClaim.longestAddress }) == true
      else { throw DamagedBytes(offset: bytes.count - reader.remaining) }
    }
    erasures = try reader.count()
    (controlTag, filesTag) = (try reader.string(), try reader.string())
    switch Kind(rawValue: try reader.byte()) {
    case .purged?: reading = .purged
    case .diverged?: reading = .diverged
    case .excerpt?: reading = .excerpt(try Self.excerpt(&reader))
    case .end?:
      var excerpt = try Self.excerpt(&reader)
      excerpt.end = try Self.end(&reader)
      reading = .excerpt(excerpt)
    case nil: throw DamagedBytes(offset: bytes.count - reader.remaining)
    }
  }

  private static func excerpt(_ reader: inout ByteReader) throws(DamagedBytes) -> JournalExcerpt {
    var excerpt = JournalExcerpt()
    // Nothing is reserved for a count, which the bytes may not fulfil.
    for _ in 0..<(try reader.count()) {
      var batch = JournalExcerpt.Batch(
        first: try reader.signed(), through: try reader.signed(), received: try reader.signed(),
        dictionary: try reader.signed(), records: [])
      let (node, position) = (try reader.string(), try reader.signed())
      if !node.isEmpty { batch.origin = JournalExcerpt.Origin(node: try id(node, reader), position: position) }
      batch.records = [UInt8](try reader.slice())
      guard batch.first > 0, batch.through >= batch.first, batch.through - batch.first < Int64(Int32.max) else {
        throw DamagedBytes(offset: reader.remaining)
      }
      excerpt.batches.append(batch)
    }
    for _ in 0..<(try reader.count()) {
      guard let app = AppID(exactly: try reader.signed()) else { throw DamagedBytes(offset: reader.remaining) }
      excerpt.keys.append(
        JournalExcerpt.Key(
          app: app, receipt: Receipt(key: try reader.fixed(), content: try reader.fixed()),
          received: try reader.signed(), through: try reader.signed(), count: try reader.signed()))
    }
    return excerpt
  }

  private static func end(_ reader: inout ByteReader) throws(DamagedBytes) -> JournalExcerpt.End {
    var end = JournalExcerpt.End(last: try reader.signed(), nodes: [])
    for _ in 0..<(try reader.count()) {
      end.nodes.append(
        IngestNode(
          id: try id(try reader.string(), reader), name: try reader.string(), position: try reader.signed(),
          heard: Timestamp(milliseconds: try reader.signed())))
      guard end.nodes.count <= IngestNode.most else { throw DamagedBytes(offset: reader.remaining) }
    }
    return end
  }

  private static func id(_ text: String, _ reader: borrowing ByteReader) throws(DamagedBytes) -> NodeID {
    guard let id = NodeID(checking: text) else { throw DamagedBytes(offset: reader.remaining) }
    return id
  }
}

import Analysis
import App
import ClickHouseStore
import Core
import Foundation
import Ingest
import PayloadRoad
import Storage
import Symbols

/// Mutations of what comes from outside and is no payload: frames of ingest nodes with their records, answers of ClickHouse,
/// budget files, uploads of symbols. A trap ends the process. What a frame's record passes, the digest takes. Backups,
/// whose runs need a folder each, have `HostileBackupTests`.
@main
struct InputFuzzing {
  static func main() throws {
    let arguments = CommandLine.arguments
    guard arguments.count >= 2, let seconds = Double(arguments[1]) else {
      print("usage: input-fuzzing SECONDS [SEED]   from the root of the repository")
      exit(64)
    }
    let seed = arguments.count > 2 ? UInt64(arguments[2]) ?? 1 : 1
    var run = Run(seed: seed)
    let (budgets, uploads) = (BudgetMutations(seed: seed), try UploadMutations(seed: seed))
    defer { uploads.remove() }
    let end = Date().addingTimeInterval(seconds)
    while Date() < end {
      for number in 0..<100 {
        run.step()
        for _ in 0..<4 { budgets.step() }
        // Their files are synced.
        if number % 20 == 0 { uploads.step() }
      }
    }
    print(
      "\(run.frames) frames with \(run.records) records, of which \(run.admitted) were taken, \(run.blocks) answers, "
        + "\(budgets.count) budget files, of which \(budgets.valid) were valid, and \(uploads.count) uploads, of which "
        + "\(uploads.stored) had symbols, in \(Int(seconds)) s: none trapped")
  }
}

/// Budget files, as the release gate takes them from whoever may read.
private final class BudgetMutations {
  private(set) var count = 0
  private(set) var valid = 0
  private var mutation: Mutation

  init(seed: UInt64) { mutation = Mutation(seed: seed) }

  private static let samples = [
    """
    app: com.example.shop
    budgets:
      - sessions.crash_free >= 99.5%
      - p90 launch.first_draw <= 2 s, warn at 1.5 s, on iPhone 12 and older
      - p90 screen.load <= 1.5 s, where region != DE, label "Cart, step 2", over 7 d
    """,
    """
    budgets:
      - p50 memory.peak <= 300 MB, on iPhone15,2, require data
      - "users.crash_free_daily >= 99 %, for last 3 releases, with adoption > 10 %"
      - {budget: "p90 launch.first_draw <= 3 s, on iOS >= 16, on iOS <18, in testflight"}
    """,
  ].map { Array($0.utf8) }

  func step() {
    count += 1
    let bytes = mutation.mutate(Self.samples[count % 2], with: Self.samples[(count + 1) % 2])
    let text = String(decoding: bytes, as: UTF8.self)
    guard let file = try? BudgetFile.parse(text, fileName: "b.yaml", mostBudgets: 200) else { return }
    valid += 1
    precondition(file.budgets.count <= 200, "more budgets than a file may have")
  }
}

/// Files as `plumb symbols upload` sends them: a binary with debug information, thin, and in a zip archive.
private final class UploadMutations {
  private(set) var count = 0
  private(set) var stored = 0
  private var mutation: Mutation
  private let folder: SymbolFolder
  private let root: String
  private let samples: [[UInt8]]

  init(seed: UInt64) throws {
    mutation = Mutation(seed: seed)
    root = FileManager.default.temporaryDirectory.path + "/input-fuzzing-\(getpid())"
    try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
    folder = try SymbolFolder(path: root + "/symbols")
    let binary = "Tests/SymbolsTests/Fixtures/Till.dSYM/Contents/Resources/DWARF/Till"
    let till = [UInt8](try Data(contentsOf: URL(filePath: binary)))
    samples = [till, Self.zip("Till.dSYM/Contents/Resources/DWARF/Till", till)]
  }

  func remove() { try? FileManager.default.removeItem(atPath: root) }

  func step() {
    count += 1
    let path = root + "/upload"
    let bytes = Data(mutation.mutate(samples[count % 2]))
    guard FileManager.default.createFile(atPath: path, contents: bytes), let file = OpenFile(path: path) else { return }
    var room = 1 << 20
    let receipt = try? folder.add(file, named: "Till", at: PayloadRoad.received, room: &room)
    precondition(room >= 0, "an upload wrote more than it may")
    if receipt?.holdsSymbols == true { stored += 1 }
  }

  /// An archive with one stored file (APPNOTE 4.3).
  private static func zip(_ name: String, _ content: [UInt8]) -> [UInt8] {
    func number(_ value: Int, _ size: Int) -> [UInt8] { (0..<size).map { UInt8(value >> (8 * $0) & 255) } }
    var sum: UInt32 = .max
    for byte in content {
      sum ^= UInt32(byte)
      for _ in 0..<8 { sum = sum & 1 == 1 ? sum >> 1 ^ 0xEDB8_8320 : sum >> 1 }
    }
    let size = number(content.count, 4)
    let common =
      number(20, 2) + number(0, 8) + number(Int(~sum), 4) + size + size + number(name.utf8.count, 2) + number(0, 2)
    let local = number(0x0403_4B50, 4) + common + name.utf8 + content
    let central = number(0x0201_4B50, 4) + number(20, 2) + common + number(0, 10) + number(0, 4) + name.utf8
    let end =
      number(0x0605_4B50, 4) + number(0, 4) + number(1, 2) + number(1, 2) + number(central.count, 4)
      + number(local.count, 4) + number(0, 2)
    return local + central + end
  }
}

private struct Run {
  private(set) var frames = 0
  private(set) var records = 0
  private(set) var admitted = 0
  private(set) var blocks = 0
  private var mutation: Mutation
  private let road = PayloadRoad()
  private let admission = RelayedRecordValidator(at: PayloadRoad.received, tallies: [2])
  private let samples = [Self.report, Self.tally]

  init(seed: UInt64) { mutation = Mutation(seed: seed) }

  mutating func step() {
    frames += 1
    var list = ByteWriter()
    for sample in samples {
      let bytes = frames % 3 == 0 ? sample : mutation.mutate(sample, with: samples[frames % samples.count])
      records += 1
      if bytes.withUnsafeBytes({ isAdmitted($0) }) {
        admitted += 1
        ([UInt8(ascii: "r")] + bytes).withUnsafeBytes { road.travel($0) }
      }
      list.blob(bytes)
    }
    let pending = PendingRecords(
      app: 7, bytes: list.bytes, count: samples.count, receipt: frames % 2 == 0 ? Receipt(key: 1, content: 2) : nil,
      received: PayloadRoad.received)
    let frame = RelayFrame(fingerprint: 1, parts: [.records(pending), .missing(3)])
    let whole = frame.content()
    let damaged = mutation.mutate(whole, with: whole).withUnsafeBytes { Compression.compress(zstd: $0) }
    damaged.withUnsafeBytes { read($0) }
    mutation.mutate(frame.encoded()).withUnsafeBytes { read($0) }
    blocks += 1
    let answer = mutation.mutate(Self.answer, with: Self.answer)
    guard let block = try? NativeBlock(decoding: answer) else { return }
    for column in block.columns { precondition(column.values.count == block.count, "columns of different lengths") }
    if let arrays = try? block.integerArrays("l") {
      for range in arrays.ranges {
        precondition(range.upperBound <= arrays.elements.count, "an array beyond its elements")
      }
    }
  }

  private func isAdmitted(_ bytes: UnsafeRawBufferPointer) -> Bool { (try? admission.check(bytes)) != nil }

  private func read(_ bytes: UnsafeRawBufferPointer) {
    guard let frame = try? RelayFrame(bytes) else { return }
    for case .records(let records) in frame.parts {
      records.bytes.withUnsafeBytes { buffer in
        var reader = ByteReader(buffer)
        for _ in 0..<records.count {
          guard let record = try? reader.slice() else { preconditionFailure("fewer records than a frame says") }
          _ = isAdmitted(record)
        }
      }
    }
  }

  private static let header = RecordHeader(app: 7, received: PayloadRoad.received, client: "Shop/1")

  private static let tally = RecordWriter.encode(
    TallyRecord(kind: 2, client: "curl", reason: "syntax", detail: "[0].app", count: 300), header)

  private static let report: [UInt8] = {
    let received = PayloadRoad.received
    var report = Report(
      source: .native, release: Release(version: "4.2.0", build: "1234"),
      device: Device(model: "iPhone15,2", system: OperatingSystem(name: "iOS", version: "17.4.1", build: "21E236")),
      attributes: ["experiment", "region"].compactMap { AppAttribute(name: $0, value: "DE") })
    report.measurements = [
      Measurement(.known(100), at: .day(received.day()), .spans([Span(low: 1, high: 2.5, count: 3)])),
      Measurement(.known(205), label: "Cart", at: .instant(received), .samples([420, 16.67])),
      Measurement(
        .known(205), at: .instant(received),
        .exponential(ExponentialBuckets(scale: 3, zeros: 2, buckets: [.init(index: -4, count: 1)])),
        extent: Extent(sum: 4, minimum: 0, maximum: 4), accumulation: CumulativeStream(stream: 1, start: received)),
      Measurement(.custom(name: "cart.save", unit: .count, kind: .counter), at: .instant(received), .counter(4)),
    ]
    report.sessions = [
      SessionUpdate(id: "s", outcome: .crashed, started: received, sequence: 3, user: "u", duration: 4)
    ]
    report.diagnostics = [
      Diagnostic(
        kind: .crash, time: .instant(received), identity: 5,
        exception: ExceptionDetails(type: 1, code: 2, signal: 11, name: "EXC", termination: "t"), session: "s",
        user: "u",
        calls: CallTree(
          binaries: [CallTree.Binary(name: "Shop", uuid: "00")],
          frames: [CallTree.Frame(caller: -1, binary: 0, offset: 4660, address: 4_294_968_576)],
          threads: [CallTree.Thread(range: 0..<1, isAttributed: true)]), body: PackedJSON(Array("{}".utf8)))
    ]
    report.losses = [ClientLoss(category: "session", reason: "backoff", quantity: 4)]
    let seal = Pseudonymizer(hash: { text, _ in UInt64(text.utf8.count) })
    return RecordWriter.encode(report, header, seal: seal)
  }()

  private static let answer: [UInt8] = {
    let block = NativeBlock([
      .init("n", .integers(.uInt8, [1, 2])), .init("i", .integers(.int64, [.min, .max])),
      .init("d", .doubles([1, .nan])),
      .init("t", .strings(["", "text"])), .init("m", .extremes(.min, [nil, 2])),
      .init("l", .arrays(ends: [1, 3], .integers(.int32, [1, 2, 3]))),
    ]).encoded()
    return block + block
  }()
}

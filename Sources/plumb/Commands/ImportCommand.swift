import App
import ArgumentParser
import Core
import Dispatch
import Foundation
import Ingest
import Logging
import Storage
import Synchronization

/// The command `plumb import`: imports payload files.
struct ImportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Import payloads, Apple's metrics, or runs of performance tests.",
    discussion: """
      Example:
        plumb import payloads/ --app com.example.shop
        plumb import --app-store-connect AuthKey.p8 --key-id 2X9R4HXF34 --issuer-id ID --app com.example.shop
        plumb import --lab metrics.json --app com.example.shop --release 4.2.0 --commit 9fceb02 --runner mini-1

      Files are decoded like payloads sent over HTTP. Apple's own metrics from App Store Connect, as files of its API \
      or fetched with --app-store-connect, appear on the metric pages next to your app's own data and are never merged \
      with it.

      A file that cannot be decoded is listed with the reason, and the import continues. A file can hold at most \
      10,000 documents; `split -l 10000` splits a file with one document per line.

      With --lab, a file is what `xcrun xcresulttool get test-results metrics` printed after one run of the tests. \
      `plumb lab` compares runs. With --server, runs are sent to a server; the token needs the scope lab. See docs/lab.md.

      Exit status: 0 all imported, 1 a file was refused or App Store Connect could not be read.
      """)

  @Argument(help: "Payload files, or folders of them; - is standard input.")
  var files: [String] = []

  @Option(help: "The bundle identifier of the app that sent them.")
  var app: String

  @OptionGroup var appStore: AppStoreConnectOptions
  @Flag(help: "The files are runs of performance tests.")
  var lab = false

  @Option(help: "With --lab: the version under test as it will be released, such as 4.2.0.")
  var release: String?

  @Option(help: "With --lab: the commit under test.")
  var commit: String?

  @Option(help: "With --lab: the branch of a pull request. (default: the main line, shown beside users' numbers)")
  var branch: String?

  @Option(help: "With --lab: the machine. Only runs with equal names are compared.")
  var runner: String?

  @Option(
    help: ArgumentHelp(
      "With --lab: a test and the metric of users' devices that it should foretell. Repeat it for several tests.",
      valueName: "test=metric"))
  var map: [String] = []

  @OptionGroup var clock: ClockOptions
  @OptionGroup var remote: ServerOptions
  @OptionGroup var folder: FolderOptions

  private var labParameters: [String: String] {
    let texts = ["release": release, "commit": commit, "branch": branch, "runner": runner].compactMapValues(\.self)
    return map.isEmpty ? texts : texts.merging(["map": map.joined(separator: ",")]) { $1 }
  }

  func validate() throws {
    guard lab || (labParameters.isEmpty && remote.server == nil) else {
      throw ValidationError("--release, --commit, --branch, --runner, --map and --server need --lab.")
    }
    if files.isEmpty && appStore.keyFile == nil {
      throw ValidationError("Give files to import, or the key of App Store Connect with --app-store-connect.")
    }
    if (lab || !files.isEmpty) && appStore.keyFile != nil {
      throw ValidationError("--app-store-connect cannot be combined with files or --lab: run the command twice.")
    }
    try appStore.check()
  }

  func run() throws {
    guard lab else { return try importPayloads() }
    let server = try remote.server(
      try folder.settings(), folder, clock, tokenHint: "plumb token add ci --scope lab --app \(app)")
    let target = try server.map(LabImport.Target.server) ?? .folder(try folder.path(), clock: clock.source)
    try LabImport(app: app, parameters: labParameters, target: target).run(try files.flatMap(Self.expand))
  }

  private func importPayloads() throws {
    let installation = try Installation.existing(try folder.path())
    let app = try installation.app(self.app)
    if appStore.keyFile == nil { try importFiles(into: installation, app) } else { try fetch(into: installation, app) }
  }

  /// The number of values. Apple gives some of them twice, in the metrics and in the overview.
  private static func distinct(_ answer: AppStorePerformance) -> Int { Set(answer.figures.map(\.key)).count }

  /// Fetches Apple's metrics.
  private func fetch(into installation: Installation, _ app: App) throws {
    do {
      let client = try appStore.client(clock: clock.source)
      let result = try AppStoreImport(installation, app).run(client, appleID: appStore.appleAppID, at: clock.now)
      let answer = result.answer
      Console.print(
        "From App Store Connect: values \(Self.distinct(answer)), goals \(answer.goals.count), insights "
          + "\(answer.insights.count), signatures \(answer.signatures.count)"
          + (result.rejected > 0 ? ", rejected \(result.rejected) (no version, or a value out of range)." : "."))
    } catch {
      Console.complain("\(error)")
      throw ExitCode(1)
    }
  }

  private func importFiles(into installation: Installation, _ app: App) throws {
    let pipeline = try Pipeline(
      installation, migrating: false, logger: Logger(label: "import") { StreamLogHandler.standardError(label: $0) },
      clock: clock.source)
    let outcome = ImportOutcome()
    let decoder = PayloadDecoder()
    let files = try self.files.flatMap(Self.expand)
    var bar = ProgressBar("Importing", total: files.count)
    for (index, file) in files.enumerated() {
      take(file, app, installation, pipeline, decoder, outcome)
      bar.show(index + 1)
    }
    let isDigesting = pipeline.isDigesting
    pipeline.stop()
    let counts = outcome.counts
    Console.print(
      "\(counts.accepted) of \(files.count) \(files.count == 1 ? "file" : "files") imported"
        + "\(counts.failed > 0 ? ", \(counts.failed) refused" : "")."
        + (isDigesting || counts.payloads == 0 ? "" : " The server that is using this folder digests them.")
    )
    if counts.failed > 0 { throw ExitCode(1) }
  }

  private func take(
    _ file: String, _ app: App, _ installation: Installation, _ pipeline: Pipeline, _ decoder: PayloadDecoder,
    _ outcome: ImportOutcome
  ) {
    do {
      let body = [UInt8](try Self.read(file))
      try body.withUnsafeBytes { bytes in
        if AppStoreConnectDocument.matches(bytes) {
          let document = try AppStoreConnectDocument(bytes)
          guard document.bundleID.isEmpty || document.bundleID == app.bundleID else {
            return outcome.fail("\(file): is about \(document.bundleID), not \(app.bundleID)")
          }
          try installation.control.keep(document.answer, of: app.id, at: clock.now)
          let rejected =
            document.rejected > 0
            ? ", \(document.rejected) rejected: no version, or a value out of range" : ""
          let answer = document.answer
          let notes = answer.goals.count + answer.insights.count + answer.signatures.count
          Console.complain(
            "\(file): \(Self.distinct(answer)) values\(notes > 0 ? " and \(notes) notes" : "") from App Store Connect"
              + rejected)
          return outcome.accept(isPayload: false)
        }
        let submission = Submission(
          app: app.id, format: PayloadFormat(detectedIn: bytes), received: clock.fixed ?? pipeline.clock.now(),
          client: "plumb import")
        try pipeline.intake.receive(bytes, submission, decoder: decoder) { result in
          if case .failure(let error) = result {
            outcome.fail("\(file): not stored: \(error)")
          } else {
            outcome.accept()
          }
        }
      }
    } catch {
      outcome.fail("\(file): \(error)")
    }
  }

  /// The files in a folder and its subfolders, sorted by path, without hidden files. Returns a path itself if it is no
  /// folder.
  private static func expand(_ path: String) throws -> [String] {
    var isFolder: ObjCBool = false
    guard path != "-", FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), isFolder.boolValue
    else { return [path] }
    let names = FileManager.default.enumerator(atPath: path)?.compactMap { $0 as? String } ?? []
    return names.filter { name in
      var isFolder: ObjCBool = false
      let isHidden = name.split(separator: "/").contains { $0.utf8.first == UInt8(ascii: ".") }
      return !isHidden && FileManager.default.fileExists(atPath: path + "/" + name, isDirectory: &isFolder)
        && !isFolder.boolValue
    }.sorted().map { path + "/" + $0 }
  }

  static func read(_ file: String) throws -> Data {
    if file == "-" { return try FileHandle.standardInput.readToEnd() ?? Data() }
    guard FileManager.default.fileExists(atPath: file) else { throw UserFacingError("the file does not exist.") }
    return try Data(contentsOf: URL(fileURLWithPath: file))
  }
}

/// Counts imported and refused files. Thread-safe, because the journal's thread calls the completions.
private final class ImportOutcome: Sendable {
  struct Counts {
    var accepted = 0
    /// The accepted files that are payloads, which the digest adds to the numbers.
    var payloads = 0
    var failed = 0
  }

  private let state = Mutex(Counts())

  var counts: Counts { state.withLock { $0 } }

  func accept(isPayload: Bool = true) {
    state.withLock {
      $0.accepted += 1
      $0.payloads += isPayload ? 1 : 0
    }
  }

  func fail(_ text: String) {
    Console.complain(text)
    state.withLock { $0.failed += 1 }
  }
}

import App
import ArgumentParser
import Core
import Foundation
import Outbound
import Symbols

/// The command `plumb symbols upload`: uploads dSYMs to a server, or adds them to a data folder.
struct SymbolsUpload: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "upload", abstract: "Upload dSYMs to a server, or add them to a data folder.",
    discussion: """
      Example:
        PLUMB_TOKEN=… plumb symbols upload Shop.xcarchive \\
          --server https://plumb.example.com

      A path can be a dSYM, a folder of dSYMs, an Xcode archive, a zip of any of these, one DWARF file, or a folder of \
      system symbols in the layout of symx and symsorter. Symbols that are already stored are not stored again. A file \
      that is refused is listed with the reason, and the upload continues. `plumb token add NAME --uploads` on the \
      server prints the token.

      Exit status: 0 all stored, 1 a file was refused.
      """)

  @Argument(help: "dSYMs, folders of dSYMs, Xcode archives or zips.")
  var paths: [String]

  @OptionGroup var remote: ServerOptions
  @OptionGroup var folder: FolderOptions

  func run() throws {
    let settings = try folder.settings()
    var sum = UploadSummary()
    var files: [SymbolFileSearch.Found] = []
    for path in paths {
      let found = SymbolFileSearch.files(at: path)
      if found == nil { sum.fail("\(path): there is no such file or folder.") }
      if found?.isEmpty == true { sum.fail("\(path): no file in it has debug information. Expected a dSYM.") }
      files += found ?? []
    }
    let target = try target(settings)
    var bar = ProgressBar("Uploading", total: max(1, files.reduce(0) { $0 + $1.size }))
    var done = 0
    for file in files {
      do {
        try target.send(file, to: &sum) { bar.show(min(done + $0, done + file.size)) }
      } catch {
        sum.fail(file.path, "\(error)")
      }
      done += file.size
      bar.show(done)
    }
    sum.show()
    if sum.hasFailed { throw ExitCode(1) }
  }

  private func target(_ settings: Settings) throws -> any UploadTarget {
    guard let server = try remote.server(settings, folder, tokenHint: "plumb token add ci --uploads") else {
      return UploadFolder(folder: try Installation.existing(try folder.path()).symbols(settings))
    }
    return UploadServer(server: server)
  }
}

/// The destination of an upload: a server, or a data folder on this machine.
private protocol UploadTarget {
  func send(_ file: SymbolFileSearch.Found, to sum: inout UploadSummary, progress: @escaping (Int) -> Void) throws
}

private struct UploadFolder: UploadTarget {
  let folder: SymbolFolder

  func send(_ file: SymbolFileSearch.Found, to sum: inout UploadSummary, progress: @escaping (Int) -> Void) throws {
    guard var open = OpenFile(path: file.path) else { throw UserFacingError("the file cannot be read.") }
    if file.isCompressed { open = try folder.unpacked(open, .zstd, limit: 8 << 30) }
    let receipt = try folder.add(open, named: file.name, isSystem: file.isSystem, at: WallClock.now())
    for symbols in receipt.stored {
      sum.stored("\(symbols.name) \(symbols.architecture) \(UUIDText.dashed(symbols.uuid))")
    }
    for symbols in receipt.replaced {
      sum.replaced("\(symbols.name) \(symbols.architecture) \(UUIDText.dashed(symbols.uuid))")
    }
    sum.known += receipt.known.count
    for refusal in receipt.refused { sum.fail(refusal.name, refusal.reason) }
  }
}

private struct UploadServer: UploadTarget {
  let server: ServerOptions.Server

  /// The fields of the server's response that are printed.
  private struct Answer: Decodable {
    struct Entry: Decodable {
      let uuid: String
      let name: String
      let arch: String
    }
    struct Refusal: Decodable {
      let name: String
      let reason: String
    }
    let stored: [Entry]
    /// Nil in responses of older servers, which never replace symbols.
    let replaced: [Entry]?
    let known: [Entry]
    let refused: [Refusal]
  }

  private struct Problem: Decodable {
    let detail: String
  }

  func send(_ file: SymbolFileSearch.Found, to sum: inout UploadSummary, progress: @escaping (Int) -> Void) throws {
    let name = PercentEncoding.encode(file.name)
    let system = file.isSystem ? "&system=true" : ""
    let answer: FileUpload.Answer
    do {
      answer = try FileUpload.put(
        file.path, to: "\(server.address)/api/v1/symbols?name=\(name)\(system)", token: server.token,
        caFile: server.caFile, coding: file.isCompressed ? "zstd" : nil, progress: progress)
    } catch {
      throw UserFacingError("\(server.address): \(error)")
    }
    guard answer.status == 200 else {
      let problem = try? JSONDecoder().decode(Problem.self, from: Data(answer.body))
      throw UserFacingError(
        "\(server.address): the server answered \(answer.status): \(problem?.detail ?? "it sent no reason")")
    }
    let receipt = try JSONDecoder().decode(Answer.self, from: Data(answer.body))
    for entry in receipt.stored { sum.stored("\(entry.name) \(entry.arch) \(entry.uuid)") }
    for entry in receipt.replaced ?? [] { sum.replaced("\(entry.name) \(entry.arch) \(entry.uuid)") }
    sum.known += receipt.known.count
    for refusal in receipt.refused { sum.fail(refusal.name, refusal.reason) }
  }
}

/// Collects the results of all files and prints them.
private struct UploadSummary {
  private var lines: [String] = []
  private var stored = 0
  private var replaced = 0
  /// Errors, printed after the progress bar has ended.
  private var complaints: [String] = []
  var known = 0

  var hasFailed: Bool { !complaints.isEmpty }

  mutating func stored(_ name: String) {
    stored += 1
    lines.append("stored \(name)")
  }

  mutating func replaced(_ name: String) {
    replaced += 1
    lines.append("replaced \(name)")
  }

  mutating func fail(_ name: String, _ reason: String) { fail("\(name): \(reason)") }

  mutating func fail(_ sentence: String) {
    complaints.append(sentence)
  }

  func show() {
    for complaint in complaints { Console.complain(complaint) }
    for line in lines { Console.print(line) }
    Console.print(
      "\(stored) stored, \(replaced > 0 ? "\(replaced) replaced, " : "")\(known) already stored"
        + "\(hasFailed ? ", \(complaints.count) refused" : "").")
  }
}

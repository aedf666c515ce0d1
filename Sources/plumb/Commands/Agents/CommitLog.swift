import App
import Core
import Dispatch
import Foundation
import Web

/// The commits of a Git repository between two releases. It runs `git` without a shell and without the network.
struct CommitLog {
  /// Why there are no commits.
  struct Failure: Error {
    let reason: String
  }

  private let repository: String

  private static let mostCommits = 100
  private static let mostBytes = 64 << 10
  private static let seconds = 10.0

  /// Throws if the folder is no Git repository.
  init(repository: String) throws {
    self.repository = repository
    guard (try? run(["rev-parse", "--git-dir"])) != nil else {
      throw UserFacingError("--repository: \(repository) is no Git repository that `git` can read.")
    }
  }

  /// The commits as a section of a document; without them, the reason.
  func section(from: String?, to: String?) -> FencedMarkdown.Section {
    let heading = "## Commits"
    guard let from else {
      return .init(heading, rank: 1, text: ["None: no version before the group is known. Name it with --from-release."])
    }
    guard let to else {
      return .init(heading, rank: 1, text: ["None: no release of the group is known. Name it with --to-release."])
    }
    do throws(Failure) {
      let commits = try commits(from: from, to: to)
      let count = commits.count > Self.mostCommits ? "The newest \(Self.mostCommits)" : "All \(commits.count)"
      return .init(
        heading, rank: 1, text: ["\(count) commits between these releases, newest first."],
        data: ["from: \(from)", "to: \(to)"] + commits.prefix(Self.mostCommits))
    } catch {
      return .init(heading, rank: 1, text: ["None could be read."], data: [error.reason])
    }
  }

  /// One line for each commit, newest first, at most one more than `mostCommits`.
  private func commits(from: String, to: String) throws(Failure) -> [String] {
    let (base, head) = try (commit(of: from), commit(of: to))
    let log = try run([
      "log", "--oneline", "--no-decorate", "--no-color", "--no-show-signature",
      "--max-count=\(Self.mostCommits + 1)", "\(base)..\(head)", "--",
    ])
    return log.split(separator: "\n").map(String.init)
  }

  /// The hash of the commit that a release's tag names.
  private func commit(of release: String) throws(Failure) -> String {
    let version = Release(title: release).version
    guard Self.isTagName(version) else { throw Failure(reason: "\(release) cannot be the name of a tag") }
    for tag in [version, "v\(version)"] {
      let found = try? run(["rev-parse", "--verify", "--quiet", "--end-of-options", "refs/tags/\(tag)^{commit}"])
      let hash = found.map { $0.filter { !$0.isWhitespace } } ?? ""
      if [40, 64].contains(hash.utf8.count), hash.utf8.allSatisfy(Self.isHexadecimal) { return hash }
    }
    throw Failure(reason: "the repository has no tag \(version) or v\(version)")
  }

  /// Whether a version is a tag that `git` can take for nothing else: `4.2.0`, `4.2.0-beta.2`.
  private static func isTagName(_ version: String) -> Bool {
    guard let first = version.utf8.first, isLetterOrDigit(first), version.utf8.count <= 100 else { return false }
    return !version.contains("..") && !version.hasSuffix(".lock") && !version.hasSuffix(".")
      && version.utf8.allSatisfy { isLetterOrDigit($0) || ".-_+".utf8.contains($0) }
  }

  private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
    (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte)
  }

  private static func isHexadecimal(_ byte: UInt8) -> Bool { (48...57).contains(byte) || (97...102).contains(byte) }

  /// The output of `git`, at most `mostBytes`. Throws if it fails or takes longer than `seconds`.
  private func run(_ arguments: [String]) throws(Failure) -> String {
    let process = Process()
    let pipe = Pipe()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    // The settings of a repository may name programs to run.
    process.arguments =
      ["git", "--no-pager", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-C", repository]
      + arguments
    let inherited = ProcessInfo.processInfo.environment
    process.environment = ["PATH", "HOME"].reduce(
      into: ["GIT_TERMINAL_PROMPT": "0", "GIT_OPTIONAL_LOCKS": "0", "GIT_NO_LAZY_FETCH": "1", "LC_ALL": "C.UTF-8"]
    ) { $0[$1] = inherited[$1] }
    process.standardInput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    process.standardOutput = pipe
    do { try process.run() } catch { throw Failure(reason: "git could not be started: \(error)") }
    let timeout = DispatchWorkItem { [pid = process.processIdentifier] in kill(pid, SIGKILL) }
    DispatchQueue.global().asyncAfter(deadline: .now() + Self.seconds, execute: timeout)
    var output = Data()
    while output.count < Self.mostBytes, let part = try? pipe.fileHandleForReading.read(upToCount: 4_096), !part.isEmpty
    {
      output += part
    }
    // Closing the pipe ends a process that writes more.
    try? pipe.fileHandleForReading.close()
    process.waitUntilExit()
    timeout.cancel()
    guard process.terminationReason == .exit, process.terminationStatus == 0 else {
      throw Failure(reason: "git \(arguments.first ?? "") failed or took longer than \(Int(Self.seconds)) s")
    }
    return String(decoding: output.prefix(Self.mostBytes), as: UTF8.self)
  }
}

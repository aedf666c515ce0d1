import Foundation
import TestSupport

/// The commands of the built program with their help, as `plumb --experimental-dump-help` prints them.
struct CommandTree: Decodable {
  let command: Command

  struct Command: Decodable {
    let commandName: String
    let abstract: String?
    let discussion: String?
    let shouldDisplay: Bool?
    let arguments: [Argument]?
    let subcommands: [Command]?

    /// The subcommands that help lists, without `help` itself.
    var inner: [Command] { (subcommands ?? []).filter { $0.shouldDisplay ?? true && $0.commandName != "help" } }

    /// The arguments that help lists, without those of every command.
    var shown: [Argument] {
      (arguments ?? []).filter { $0.shouldDisplay && $0.names.allSatisfy { !["--help", "--version"].contains($0) } }
    }
  }

  struct Argument: Decodable {
    let abstract: String?
    let kind: String
    let isOptional: Bool
    let isRepeating: Bool
    let shouldDisplay: Bool
    let valueName: String?
    let defaultValue: String?
    private let spellings: [Name]?

    private struct Name: Decodable {
      let kind: String
      let name: String
    }

    private enum CodingKeys: String, CodingKey {
      case abstract, kind, isOptional, isRepeating, shouldDisplay, valueName, defaultValue
      case spellings = "names"
    }

    /// `--format` or `-h`; empty for a positional argument.
    var names: [String] { (spellings ?? []).map { ($0.kind == "long" ? "--" : "-") + $0.name } }

    /// As it is typed: `--format <format>`, `--all` or `<files> ...`.
    var spelled: String {
      let value = kind == "flag" ? [] : ["<\(valueName ?? "value")>"]
      return (names.prefix(1) + value + (isRepeating ? ["..."] : [])).joined(separator: " ")
    }
  }

  /// The tree of the program that was built with these tests.
  static func built() throws -> Self {
    try JSONDecoder().decode(
      Self.self, from: Data(try Program.output(Program.plumb, ["--experimental-dump-help"])))
  }

  /// The command that the first of these words name, and how many of them; the program itself for none.
  func resolve(_ words: [String]) -> (command: Command, depth: Int) {
    var (found, depth) = (command, 0)
    while depth < words.count, let next = found.subcommands?.first(where: { $0.commandName == words[depth] }) {
      (found, depth) = (next, depth + 1)
    }
    return (found, depth)
  }
}

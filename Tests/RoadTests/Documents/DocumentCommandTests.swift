import ArgumentParser
import Foundation
import Testing
import TestSupport

@testable import plumb

/// Every command that README and the documents show in a block of code. A block after a line
/// `<!-- not run by the tests: REASON -->` is parsed and not run.
@Suite("Commands in documents")
struct DocumentCommandTests {
  private static let documents: [String] = {
    let found = FileManager.default.enumerator(atPath: Checkout.path("docs"))?.compactMap { $0 as? String } ?? []
    return ["README.md", "CONTRIBUTING.md", "SECURITY.md", "deploy/README.md"]
      + found.filter { $0.hasSuffix(".md") }.map { "docs/" + $0 }.sorted()
  }()

  /// Commands with an id that no stage can have, with the status that they end with.
  private static let failing = ["user logout ana --login 3f2a9c01d4e5": 1]

  /// Why the parser does not accept the words of a command; nil if it does.
  private static func fault(_ words: [String]) -> String? {
    do {
      _ = try Plumb.parseAsRoot(words)
      return nil
    } catch {
      return Plumb.exitCode(for: error) == .success ? nil : Plumb.message(for: error)
    }
  }

  @Test("the parser accepts every command that a document shows, and the examples of every help")
  func accepted() throws {
    let scene = try DocumentScene()
    var count = 0
    for block in try Self.documents.flatMap(ShellBlock.blocks) {
      let invocations = try scene.record(block)
      #expect(invocations.count == block.count, "\(block.place): a shell cannot run this block:\n\(block.script)")
      for invocation in invocations {
        count += 1
        let fault = Self.fault(invocation.words)
        #expect(fault == nil, "\(block.place): plumb \(invocation.words.joined(separator: " ")): \(fault ?? "")")
      }
    }
    #expect(count > 130, "the blocks were not found")
  }

  /// Commands whose exit status is a verdict.
  private static let gates = ["check", "compare", "rollout"]

  @Test("every command that a document shows runs with success, unless the document marks its block")
  func run() throws {
    let scene = try DocumentScene()
    try scene.fill()
    var count = 0
    for document in Self.documents where document != "docs/commands.md" {
      let blocks = try ShellBlock.blocks(of: document).filter { $0.notRun == nil }
      if !blocks.isEmpty { try scene.reset() }
      for block in blocks {
        let outcome = try scene.run(block)
        for run in outcome.invocations {
          count += 1
          let line = run.words.joined(separator: " ")
          let expected = Self.failing[line].map { [$0] } ?? (Self.gates.contains(run.words[0]) ? [0, 1, 2] : [0])
          #expect(
            run.status.map(expected.contains) == true,
            "\(block.place): plumb \(line) ended with \(run.status.map(String.init) ?? "no status"): \(run.errors)")
        }
        let hasFailing =
          outcome.invocations.contains { Self.failing[$0.words.joined(separator: " ")] != nil }
          || outcome.invocations.last.map { Self.gates.contains($0.words[0]) } == true
        #expect(
          outcome.ending == .exit(0) || hasFailing,
          "\(block.place): the block ended with \(String(describing: outcome.ending)): \(outcome.errors)")
        #expect(outcome.invocations.count == block.count, "\(block.place): not every line of the block was run")
      }
    }
    #expect(count > 50, "the blocks were not found")
  }

  @Test("a misspelt option, subcommand or value in a document is found")
  func faults() throws {
    #expect(Self.fault(["check", "--app", "com.example.shop"]) == nil)
    #expect(Self.fault(["check", "--ap", "com.example.shop"])?.contains("Unknown option '--ap'") == true)
    #expect(Self.fault(["token", "ad", "ci"]) != nil)
    #expect(Self.fault(["import", "payload.json"])?.contains("--app") == true)
    #expect(Self.fault(["check", "--format", "xml"]) != nil)
  }

  @Test("commands in the sentences of documents name a subcommand and options that exist")
  func sentences() throws {
    let tree = try CommandTree.built()
    var count = 0
    for document in Self.documents {
      for span in try Checkout.text(document).matches(of: /`plumb ([a-z][^`]*)`/) {
        let words = span.1.split { $0 == " " || $0 == "\n" }.map(String.init)
        let (command, depth) = tree.resolve(words)
        count += 1
        #expect(depth > 0, "\(document): plumb \(span.1): there is no command \(words[0])")
        let known = Set((command.arguments ?? []).flatMap(\.names))
        for word in words.dropFirst(depth) where word.hasPrefix("--") {
          let name = word.drop { $0 == "[" }.prefix { $0 == "-" || $0.isLetter }
          #expect(known.contains(String(name)), "\(document): plumb \(span.1): there is no \(name)")
        }
      }
    }
    #expect(count > 60, "the commands were not found")
  }
}

import Foundation
import Testing
import TestSupport

@Suite("Every command")
struct HelpTests {
  private static let groups = ["app", "user", "token", "budgets", "silence", "incidents", "alerts"]

  @Test("every command and subcommand explains itself with an example, and exits 64 for a typo")
  func help() throws {
    let stage = try Stage()
    let commands = try subcommands(of: [], stage)
    #expect(
      Set(commands).isSuperset(of: ["serve", "app", "user", "token", "import", "check", "report", "render", "demo"]))
    var seen = 0
    for command in commands {
      let inner = Self.groups.contains(command) ? try subcommands(of: [command], stage) : []
      for words in [[command]] + inner.map({ [command, $0] }) {
        let told = try stage.run(program: Program.plumb, words + ["--help"])
        #expect(told.succeeded, "\(words)")
        #expect(
          told.output.contains("Example:") && told.output.contains("plumb \(words.joined(separator: " "))"), "\(words)")
        #expect(try stage.run(program: Program.plumb, words + ["--no-such-flag"]).ending == .exit(64), "\(words)")
        seen += 1
      }
    }
    #expect(seen > 15)
    #expect(try stage.run("sevre").ending == .exit(64))
    #expect(try stage.run("app", "ad").ending == .exit(64))
    #expect(try stage.run("--help").succeeded)
    let version = try stage.run("version").output
    #expect(
      version.contains(
        /^plumb \d+\.\d+\.\d+\ncommit: .+\nlibraries: sqlite 3\.\d+.*, zstd 1\..*\nschemas: .*plumb\.db \d+/))
    #expect(try stage.run("--version").output == version)
    #expect(try FileManager.default.contentsOfDirectory(atPath: stage.folder).allSatisfy { $0.hasPrefix("run-") })
  }

  private func subcommands(of words: [String], _ stage: Stage) throws -> [String] {
    let help = try stage.run(program: Program.plumb, words + ["--help"]).output
    let list = try #require(help.range(of: "SUBCOMMANDS:\n"), "\(words)")
    return help[list.upperBound...].split(separator: "\n", omittingEmptySubsequences: false).prefix { !$0.isEmpty }
      .filter { $0.hasPrefix("  ") && !$0.hasPrefix("   ") }
      .compactMap { $0.split(separator: " ").first.map { String($0).replacing(",", with: "") } }
  }
}

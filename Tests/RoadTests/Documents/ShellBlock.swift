import Foundation
import TestSupport

/// A block of code in a document that runs `plumb`.
struct ShellBlock {
  /// `docs/backup.md:8`.
  let place: String
  /// The lines without their common indentation; schedules of cron are removed.
  let lines: [String]
  /// The reason in `<!-- not run by the tests: REASON -->` before the block; nil without such a line.
  let notRun: String?

  /// The script that a shell runs.
  var script: String {
    lines.joined(separator: "\n").replacing(/\/usr\/(?:local\/)?bin\/plumb\b/, with: "plumb") + "\n"
  }

  /// How often the block runs `plumb`.
  var count: Int { lines.reduce(0) { $0 + Self.count(in: $1) } }

  /// The blocks of a document of the repository that run `plumb`.
  static func blocks(of name: String) throws -> [ShellBlock] {
    var (blocks, lines, start): ([ShellBlock], [Substring], Int) = ([], [], 0)
    var (isFenced, mark): (Bool, String?) = (false, nil)
    func end() {
      let indentation = lines.filter { !$0.isEmpty }.map { $0.prefix { $0 == " " }.count }.min() ?? 0
      let texts = lines.map { withoutSchedule(String($0.dropFirst(indentation))) }
      let block = ShellBlock(place: "\(name):\(start)", lines: texts, notRun: mark)
      if block.count > 0 { blocks.append(block) }
      if !lines.isEmpty { mark = nil }
      lines = []
    }
    var before: Substring = ""
    for (index, line) in try Checkout.text(name).split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      let isFence = line.drop { $0 == " " }.hasPrefix("```")
      let isCode = isFenced || line.hasPrefix("    ") && (before.isEmpty || !lines.isEmpty)
      if isFence {
        end()
        isFenced.toggle()
      } else if isCode {
        if lines.isEmpty { start = index + 1 }
        lines.append(line)
      } else if line.allSatisfy({ $0 == " " }) {
        if !lines.isEmpty { lines.append("") }
      } else {
        end()
        mark = line.firstMatch(of: /<!-- not run by the tests: (.+) -->/).map { String($0.1) }
      }
      before = line
    }
    end()
    return blocks
  }

  /// A line of a crontab without its five fields, and without the user of a file in `/etc/cron.d`.
  private static func withoutSchedule(_ line: String) -> String {
    line.replacing(/^(?:[\d*][\d*\/,-]* +)(?:[\w*][\w*\/,-]* +){4}(?:plumb +(?=\/))?/, with: "")
  }

  /// How often a line runs `plumb`, also by `sudo`, by its path, in `$(…)`, and as the command of `systemd-run`. A drawing
  /// runs nothing.
  private static func count(in line: String) -> Int {
    guard !line.contains("─"), !line.hasPrefix("#") else { return 0 }
    let call =
      #/
      (?: ^ | [|&;(]\ * | sudo\ -u\ plumb\  | -p\ [^\ ]+\  ) (?: [A-Z_]+=[^\ ]*\  )*
      (?: /usr/(?:local/)?bin/ )? plumb\ + [a-z\-]
      /#
    return line.matches(of: call).count
  }
}

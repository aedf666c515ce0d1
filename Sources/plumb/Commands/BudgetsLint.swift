import ArgumentParser
import Budgets
import Foundation

/// `plumb budgets lint`
struct BudgetsLint: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "lint",
    abstract: "Check budget files: what is wrong, where, and what was expected.",
    discussion: """
      Example:
        plumb budgets lint budgets.yaml
        plumb budgets lint --strict budgets/*.yaml

      Exit status: 0 when all can be used, 1 when something is wrong.
      """)

  @Argument(help: "The files; - is standard input.")
  var files: [String]

  @Flag(help: "Names that the catalogue does not have are wrong, too, unless they are quoted.")
  var strict = false

  func run() throws {
    var count = 0
    var isFine = true
    for file in files {
      guard let text = Self.read(file) else {
        Console.complain("\(file) cannot be read, or is larger than 1 MiB.")
        isFine = false
        continue
      }
      let lint = BudgetLint(text, fileName: file)
      for line in lint.text { Console.print(line) }
      count += lint.file.budgets.count
      if !lint.errors.isEmpty || strict && !lint.warnings.isEmpty { isFine = false }
    }
    guard isFine else { throw ExitCode(1) }
    Console.print("\(count) \(count == 1 ? "budget" : "budgets")")
  }

  /// The text of a file; nil when there is none. Text that is not UTF-8 is read with replacement characters.
  private static func read(_ file: String) -> String? {
    guard let handle = file == "-" ? .standardInput : FileHandle(forReadingAtPath: file) else { return nil }
    var data = Data()
    // One byte more than is allowed tells a file that is too large.
    while data.count <= BudgetFile.maximumSize {
      guard let part = Self.part(of: handle, BudgetFile.maximumSize + 1 - data.count) else { return nil }
      if part.isEmpty { return String(decoding: data, as: UTF8.self) }
      data += part
    }
    return nil
  }

  /// The next bytes, none at the end; nil when they cannot be read (a folder).
  private static func part(of handle: FileHandle, _ count: Int) -> Data? {
    do { return try handle.read(upToCount: count) ?? Data() } catch { return nil }
  }
}

import Analysis
import ArgumentParser
import Foundation

/// The command `plumb budgets`: writes and checks budget files.
struct BudgetsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "budgets",
    abstract: "Write a budget file, or check one.",
    discussion: """
      Example:
        plumb budgets init --app com.example.shop
        plumb budgets lint budgets.yaml
      """,
    subcommands: [BudgetsInit.self, BudgetsLint.self])
}

/// The command `plumb budgets init`: writes a budget file with the defaults.
struct BudgetsInit: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "init",
    abstract: "Write a budget file with every default, each with a comment.",
    discussion: """
      Example:
        plumb budgets init --app com.example.shop
        plumb budgets init --out - | less
      """)

  @Option(help: "The bundle identifier the file is for; any app when it is left out.")
  var app: String?

  @Option(help: "The file to write; - is standard output.")
  var out = "budgets.yaml"

  @Flag(help: "Overwrite a file that exists.")
  var force = false

  func validate() throws {
    if let app, !BudgetFile.isBundleID(app) {
      throw ValidationError("--app: expected a bundle identifier such as com.example.shop, found \"\(app)\"")
    }
  }

  func run() throws {
    let text = Data(BudgetTemplate.text(app: app).utf8)
    guard out != "-" else { return Console.print(Array(text)) }
    let options: Data.WritingOptions = force ? [.atomic] : [.withoutOverwriting]
    do {
      try text.write(to: URL(fileURLWithPath: out), options: options)
    } catch let error as CocoaError where error.code == .fileWriteFileExists {
      throw ValidationError("\(out) exists. --force overwrites it, --out names another file.")
    } catch {
      Console.complain("\(out) cannot be written: \(error.localizedDescription)")
      throw ExitCode(1)
    }
    Console.print("\(out): \(DefaultBudgets.all.count) budgets. `plumb check --budgets \(out)` judges by them.")
  }
}

/// The command `plumb budgets lint`: checks budget files for errors.
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

  /// The text of a file; nil if it cannot be read. Bytes that are not UTF-8 become replacement characters.
  private static func read(_ file: String) -> String? {
    guard let handle = file == "-" ? .standardInput : FileHandle(forReadingAtPath: file) else { return nil }
    var data = Data()
    // Reads at most one byte more than allowed, enough to detect a file that is too large.
    while data.count <= BudgetFile.maximumSize {
      guard let part = Self.part(of: handle, BudgetFile.maximumSize + 1 - data.count) else { return nil }
      if part.isEmpty { return String(decoding: data, as: UTF8.self) }
      data += part
    }
    return nil
  }

  /// Reads up to `count` bytes, none at the end of the file; nil if it cannot be read, as for a folder.
  private static func part(of handle: FileHandle, _ count: Int) -> Data? {
    do { return try handle.read(upToCount: count) ?? Data() } catch { return nil }
  }
}

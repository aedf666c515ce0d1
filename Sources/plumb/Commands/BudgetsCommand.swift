import Analysis
import ArgumentParser
import Foundation

/// The command `plumb budgets`: writes and checks budget files.
struct BudgetsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "budgets",
    abstract: "Write or check a budget file.",
    discussion: """
      Example:
        plumb budgets init --app com.example.shop
      """,
    subcommands: [BudgetsInit.self, BudgetsLint.self])
}

/// The command `plumb budgets init`: writes a budget file with the default budgets.
struct BudgetsInit: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "init",
    abstract: "Write a budget file with the commented defaults.",
    discussion: """
      Example:
        plumb budgets init --app com.example.shop
      """)

  @Option(help: "The bundle identifier of the app that the file is for. (default: any app)")
  var app: String?

  @Option(help: "The file to write; - is standard output.")
  var out = "budgets.yaml"

  @Flag(help: "Overwrite an existing file.")
  var force = false

  func validate() throws {
    if let app, !BudgetFile.isBundleID(app) {
      throw ValidationError("--app: expected a bundle identifier such as com.example.shop, found \"\(app)\".")
    }
  }

  func run() throws {
    let text = Data(BudgetTemplate.text(app: app).utf8)
    guard out != "-" else { return Console.print(Array(text)) }
    let options: Data.WritingOptions = force ? [.atomic] : [.withoutOverwriting]
    do {
      try text.write(to: URL(fileURLWithPath: out), options: options)
    } catch let error as CocoaError where error.code == .fileWriteFileExists {
      throw ValidationError("\(out) already exists. Use --force to overwrite it, or --out to name another file.")
    } catch {
      Console.complain("\(out) cannot be written: \(error.localizedDescription)")
      throw ExitCode(1)
    }
    Console.print("\(out): \(DefaultBudgets.all.count) budgets. Evaluate them with `plumb check --budgets \(out)`.")
  }
}

/// The command `plumb budgets lint`: checks budget files for errors.
struct BudgetsLint: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "lint",
    abstract: "Check budget files for errors.",
    discussion: """
      Example:
        plumb budgets lint --strict budgets/*.yaml

      Exit status: 0 no errors, 1 errors.
      """)

  @Argument(help: "The budget files; - is standard input.")
  var files: [String]

  @Flag(help: "Treat unquoted metric names that are not in the catalogue as errors.")
  var strict = false

  func run() throws {
    var count = 0
    var isFine = true
    for file in files {
      guard let text = Self.read(file) else {
        Console.complain("\(file): the file cannot be read, or is larger than 1 MiB.")
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
    // Reads at most one byte more than allowed, which is enough to detect a file that is too large.
    while data.count <= BudgetFile.maximumSize {
      guard let part = Self.part(of: handle, BudgetFile.maximumSize + 1 - data.count) else { return nil }
      if part.isEmpty { return String(decoding: data, as: UTF8.self) }
      data += part
    }
    return nil
  }

  /// Reads up to `count` bytes; empty at the end of the file. Nil if the file cannot be read, such as a folder.
  private static func part(of handle: FileHandle, _ count: Int) -> Data? {
    do { return try handle.read(upToCount: count) ?? Data() } catch { return nil }
  }
}

import Foundation

/// Writes to standard output and standard error.
enum Console {
  /// Whether standard output is a terminal.
  static var isTerminal: Bool { isatty(FileHandle.standardOutput.fileDescriptor) == 1 }

  static func print(_ text: String) { write(text + "\n", to: .standardOutput) }

  static func print(_ bytes: [UInt8]) { try? FileHandle.standardOutput.write(contentsOf: Data(bytes)) }

  static func complain(_ text: String) { write(text + "\n", to: .standardError) }

  /// Prints a progress note on a terminal; prints nothing elsewhere.
  static func note(_ text: String) {
    if isatty(FileHandle.standardError.fileDescriptor) == 1 { complain("… \(text)") }
  }

  private static func write(_ text: String, to handle: FileHandle) {
    // A closed pipe (`plumb report | head`) is not an error.
    try? handle.write(contentsOf: Data(text.utf8))
  }
}

/// A progress bar on a terminal; prints nothing elsewhere.
struct ProgressBar {
  private let title: String
  private let total: Int
  private let isVisible = isatty(FileHandle.standardError.fileDescriptor) == 1
  private var shown = -1

  init(_ title: String, total: Int) {
    self.title = title
    self.total = max(1, total)
  }

  /// Shows progress as a fraction of `all` instead of the bar's total.
  mutating func show(_ done: Int, of all: Int) {
    show(all == 0 ? total : Int(Double(done) / Double(all) * Double(total)))
  }

  mutating func show(_ done: Int) {
    let percent = min(100, done * 100 / total)
    guard isVisible, percent != shown else { return }
    shown = percent
    let filled = percent * 30 / 100
    let bar = String(repeating: "█", count: filled) + String(repeating: "░", count: 30 - filled)
    FileHandle.standardError.write(Data("\r\(title) \(bar) \(percent) %".utf8))
    if percent == 100 { FileHandle.standardError.write(Data("\n".utf8)) }
  }
}

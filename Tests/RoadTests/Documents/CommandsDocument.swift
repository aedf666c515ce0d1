/// Writes `docs/commands.md`: a section for each command, from its own help.
struct CommandsDocument {
  private(set) var text = """
    # Commands

    What does each command of `plumb` do, and which options does it have? This page contains the output of
    `plumb COMMAND --help`.

    **The data folder.** Commands use the folder given with `--data`. Without that option they use the variable
    `PLUMB_DATA`, then `data:` in `plumb.yaml`, then `./plumb-data`.

    **Exit status.** 64 means that an argument or a setting is invalid. 3 means that there is no data folder, or that its
    databases have another version. Other statuses are described with their commands.


    """

  init(_ tree: CommandTree) {
    text += "| command | purpose |\n|---|---|\n"
    for command in tree.command.inner {
      text += "| [`plumb \(command.commandName)`](#plumb-\(command.commandName)) | \(Self.cell(command.abstract)) |\n"
    }
    for command in tree.command.inner { section(command, path: ["plumb", command.commandName]) }
  }

  private mutating func section(_ command: CommandTree.Command, path: [String]) {
    let name = path.joined(separator: " ")
    text += "\n\(String(repeating: "#", count: path.count)) \(name)\n\n"
    text += Self.wrapped(Self.prose(command.abstract ?? "")) + "\n"
    if command.inner.isEmpty {
      let usage = [name] + command.shown.map { $0.isOptional ? "[\($0.spelled)]" : $0.spelled }
      text += "\n" + Self.wrapped("Usage: `\(usage.joined(separator: " "))`") + "\n"
    }
    if let discussion = command.discussion, !discussion.isEmpty { text += "\n" + Self.discussion(discussion) + "\n" }
    if !command.shown.isEmpty {
      text += "\n| argument | meaning |\n|---|---|\n"
      for argument in command.shown { text += "| `\(argument.spelled)` | \(Self.meaning(argument)) |\n" }
    }
    for child in command.inner { section(child, path: path + [child.commandName]) }
  }

  /// An argument's help, with its default value unless the help names it.
  private static func meaning(_ argument: CommandTree.Argument) -> String {
    let text = cell(argument.abstract)
    guard let value = argument.defaultValue, !value.isEmpty, !text.contains("default:") else { return text }
    return text + " (default: \(cell(value)))"
  }

  private static func cell(_ text: String?) -> String { prose(text ?? "").replacing("|", with: "\\|") }

  /// Text as Markdown: angle brackets and stars outside code are themselves.
  private static func prose(_ text: String) -> String {
    let parts = text.replacing("\n", with: " ").split(separator: "`", omittingEmptySubsequences: false)
    return parts.indices.map { index in
      let part = String(parts[index])
      return index % 2 == 1 ? part : part.replacing("<", with: "\\<").replacing("*", with: "\\*")
    }.joined(separator: "`")
  }

  /// A discussion: indented lines are examples, everything else is paragraphs.
  private static func discussion(_ text: String) -> String {
    var (blocks, isExample, lines): ([String], Bool, [String]) = ([], false, [])
    func end() {
      guard !lines.isEmpty else { return }
      blocks.append(
        isExample ? lines.map { "  " + $0 }.joined(separator: "\n") : wrapped(prose(lines.joined(separator: " "))))
      lines = []
    }
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      if line.isEmpty || line.hasPrefix("  ") != isExample {
        end()
        isExample = line.hasPrefix("  ")
      }
      if !line.isEmpty { lines.append(String(line)) }
    }
    end()
    return blocks.joined(separator: "\n\n")
  }

  /// Text in lines of at most 120 characters.
  private static func wrapped(_ text: String) -> String {
    var (lines, line): ([String], String) = ([], "")
    for word in text.split(separator: " ") {
      if !line.isEmpty, line.count + 1 + word.count > 120 {
        lines.append(line)
        line = ""
      }
      line += (line.isEmpty ? "" : " ") + word
    }
    return (lines + [line]).joined(separator: "\n")
  }
}

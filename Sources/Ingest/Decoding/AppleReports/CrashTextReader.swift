internal import Core

/// Reads a text crash report (`.crash`). iOS and macOS wrote this format until 2021, and Xcode still shows it.
struct CrashTextReader {
  private var fields = AppleReportFields()
  private var stacks: CrashTextStacks
  private var body = CrashTextStoredBody()
  private var version = ""
  private var subtype = ""
  private let context: DecodingContext

  /// Reads one report. `lines` must begin with its first line, as in `CrashTextLines.reports`.
  static func report(
    of lines: CrashTextLines, contentHash: UInt64, _ context: DecodingContext, _ quota: DecodingQuota
  ) throws(DecodingFailure) -> Report {
    var reader = CrashTextReader(context: context, quota: quota)
    for line in lines.all { try reader.read(line) }
    return try reader.finish(contentHash)
  }

  private init(context: DecodingContext, quota: DecodingQuota) {
    self.context = context
    stacks = CrashTextStacks(quota: quota)
  }

  private mutating func read(_ line: CrashTextLines.Line) throws(DecodingFailure) {
    switch try stacks.read(line) {
    case .taken: break
    case .text:
      body.text(line.text)
      readReason(line.text)
    case .header: try readHeader(line)
    }
  }

  private mutating func readHeader(_ line: CrashTextLines.Line) throws(DecodingFailure) {
    if let text = line.value(of: "Incident Identifier") {
      fields.incident = text
    } else if let text = line.value(of: "CrashReporter Key") ?? line.value(of: "Crash Reporter Key") {
      fields.user = text.isEmpty ? nil : text
    } else if let text = line.value(of: "Hardware Model") {
      fields.device.model = text
    } else if let text = line.value(of: "Model"), fields.device.model.isEmpty {
      fields.device.model =
        text.split(separator: " ").first.map { String($0.hasSuffix(",") ? $0.dropLast() : $0) } ?? ""
    } else if let text = line.value(of: "Process") {
      // Such as `Shop [4711]`.
      stacks.process = CrashTextLines.trimmed(text[...].prefix { $0 != "[" })
    } else if let text = line.value(of: "Identifier") {
      fields.bundleID = text
    } else if let text = line.value(of: "Version") {
      version = text
    } else if let text = line.value(of: "OS Version") {
      fields.device.system = OperatingSystem(parsing: String(text))
    } else if let text = line.value(of: "Beta"), text == "YES" {
      fields.environment = "testflight"
    } else if let text = line.value(of: "Date/Time") {
      try readTime(text, line)
    } else {
      try readException(line)
    }
    body.header(line)
  }

  private mutating func readTime(_ text: String, _ line: CrashTextLines.Line) throws(DecodingFailure) {
    guard let time = Timestamp(iso: text) else {
      throw DecodingFailure(
        .value, path: "line \(line.number)",
        "Date/Time: expected a time such as 2026-11-20 10:00:00.123 +0100, found \(JSONPath.quoted(text))")
    }
    fields.time = time
  }

  private mutating func readException(_ line: CrashTextLines.Line) throws(DecodingFailure) {
    if let text = line.value(of: "Exception Type") {
      // Such as `EXC_CRASH (SIGABRT)`.
      let words = text.split(separator: " ")
      fields.exception.name = words.first.map(String.init)
      fields.exception.type = fields.exception.name.flatMap { MachException.type(named: $0) }
      fields.exception.signal = words.dropFirst().first.flatMap { SignalNumber.named($0.dropFirst().dropLast()) }
    } else if let text = line.value(of: "Exception Subtype") {
      subtype = text
    } else if let text = line.value(of: "Exception Codes") {
      fields.exception.code = text.split(separator: ",").first.flatMap { CrashTextNumber.any($0) }
    } else if let text = line.value(of: "Termination Reason") {
      fields.exception.termination = Self.termination(text)
    } else if let text = line.value(of: "Triggered by Thread") ?? line.value(of: "Crashed Thread") {
      stacks.crashed = text.split { !$0.isNumber }.first.flatMap { Int($0) }
    }
  }

  /// The termination reason in MetricKit's notation, from `Namespace SPRINGBOARD, Code 0x8badf00d` or, since iOS 15,
  /// `FRONTBOARD 2343432205`. Other texts are unchanged.
  private static func termination(_ text: String) -> String {
    let words = text.split { $0 == " " || $0 == "," }
    if words.first == "Namespace", words.count >= 4, words[2] == "Code", let code = CrashTextNumber.any(words[3]) {
      return AppleReportKind.termination(namespace: String(words[1]), code: code)
    }
    guard words.count >= 2, let code = CrashTextNumber.any(words[1]) else { return String(text) }
    return AppleReportKind.termination(namespace: String(words[0]), code: code)
  }

  /// Reads the exception's name, and its reason if the app's settings keep it, from `*** Terminating app due to
  /// uncaught exception 'NSRangeException', reason: '…'`.
  private mutating func readReason(_ text: Substring) {
    let mark = "uncaught exception '"
    guard let found = text.range(of: mark) else { return }
    let name = text[found.upperBound...].prefix { $0 != "'" }
    guard !name.isEmpty, name.utf8.count <= 200 else { return }
    fields.exception.name = String(name).kept
    if context.keepsExceptionText { fields.exception.reason = CrashTextLines.trimmed(text[found.lowerBound...]) }
  }

  private mutating func finish(_ contentHash: UInt64) throws(DecodingFailure) -> Report {
    let calls = try stacks.tree()
    fields.release = release
    fields.kind = AppleReportKind.kind(type: "", exception: fields.exception.name, subtype: subtype)
    let body = PackedJSON(body.bytes(calls, keepsText: context.keepsExceptionText))
    return fields.report(calls: calls, contentHash: contentHash, body: body, context)
  }

  /// The release from a version line such as `4.2.0 (1234)`. Up to iOS 14 the build came first.
  private var release: Release {
    let parts = version.split(separator: "(", maxSplits: 1)
    let first = parts.first.map { CrashTextLines.trimmed($0) } ?? ""
    let second = parts.count > 1 ? CrashTextLines.trimmed(parts[1].prefix { $0 != ")" }) : ""
    let system = fields.device.system
    let isOld = system.name == "iOS" && (system.version.split(separator: ".").first.flatMap { Int($0) } ?? 15) < 15
    return isOld && !second.isEmpty ? Release(version: second, build: first) : Release(version: first, build: second)
  }
}

extension Substring {
  /// The range of the first occurrence of `word`; nil if there is none.
  fileprivate func range(of word: String) -> Range<Index>? {
    var at = startIndex
    while let start = self[at...].utf8.firstIndex(of: word.utf8.first ?? 0) {
      if self[start...].utf8.starts(with: word.utf8) {
        return start..<utf8.index(start, offsetBy: word.utf8.count)
      }
      at = utf8.index(after: start)
    }
    return nil
  }
}

extension PayloadDecoder {
  /// The reports of a body with one or more `.crash` reports; nil for any other body.
  func crashTexts(
    _ body: UnsafeRawBufferPointer, _ context: DecodingContext, _ quota: DecodingQuota
  ) throws(DecodingFailure) -> [Report]? {
    guard CrashTextLines.isPossible(body) else { return nil }
    let all = try CrashTextLines(body).reports
    var reports: [Report] = []
    for lines in all {
      guard quota.take(.diagnostics) else {
        throw DecodingFailure(
          .value, path: "line \(lines.all.first?.number ?? 1)", DecodingQuota.tooMany(.diagnostics))
      }
      var hash = SeededHash(seed: 0x0A99_1E01)
      // A single report is identified by the body's bytes, as in earlier versions, so that repeated uploads are
      // recognised.
      if all.count == 1 { hash.combine(body.bindMemory(to: UInt8.self)) } else { hash.combine(lines.text) }
      reports.append(try CrashTextReader.report(of: lines, contentHash: hash.value, context, quota))
    }
    return reports
  }
}

extension CrashTextReader {
  /// The call stacks and the exception in a text that a client sends as a stack trace: a crash report, as KSCrash and
  /// PLCrashReporter write it, or only the frames of one stack (`NSException.callStackSymbols`). Nil for other texts,
  /// such as stack traces of other languages, and for more frames than a request may have.
  static func stacks(
    in text: String, _ context: DecodingContext, _ quota: DecodingQuota
  ) -> (calls: CallTree, exception: ExceptionDetails)? {
    var text = text
    return text.withUTF8 { bytes in
      let body = UnsafeRawBufferPointer(bytes)
      if CrashTextLines.isPossible(body) {
        let report = try? CrashTextLines(body).reports.first.map {
          try Self.report(of: $0, contentHash: 0, context, quota)
        }
        return report?.diagnostics.first.map { ($0.calls, $0.exception) }
      }
      // The first frame of a stack is number 0.
      guard body.first(where: { $0 > 0x20 }) == UInt8(ascii: "0") else { return nil }
      return (try? stack(of: CrashTextLines(body), quota)).map { ($0, ExceptionDetails()) }
    }
  }

  private static func stack(of lines: CrashTextLines, _ quota: DecodingQuota) throws(DecodingFailure) -> CallTree {
    var stacks = CrashTextStacks(quota: quota)
    _ = try stacks.read(CrashTextLines.Line(number: 0, text: "Thread 0 Crashed:"))
    for line in lines.all { _ = try stacks.read(line) }
    return try stacks.tree()
  }
}

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
  init(
    _ lines: CrashTextLines, _ context: DecodingContext, _ quota: DecodingQuota
  ) throws(DecodingFailure) {
    self.context = context
    stacks = CrashTextStacks(quota: quota)
    for line in lines.all { try read(line) }
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

  /// Reads a header line, such as `Version: 4.2.0`.
  private mutating func readHeader(_ line: CrashTextLines.Line) throws(DecodingFailure) {
    guard let colon = line.text.firstIndex(of: UInt8(ascii: ":")) else { return }
    let (key, text) = (line.text[0..<colon], line.text[(colon + 1)...])
    let value = text.name
    switch key {
    case "Incident Identifier": fields.incident = value
    case "CrashReporter Key", "Crash Reporter Key": fields.user = value.isEmpty ? nil : value
    case "Hardware Model": fields.device.model = value
    case "Model":
      if fields.device.model.isEmpty {
        fields.device.model =
          value.split(separator: " ").first.map { String($0.hasSuffix(",") ? $0.dropLast() : $0) } ?? ""
      }
    // Such as `Shop [4711]`.
    case "Process": stacks.process = text.prefix(upTo: UInt8(ascii: "[")).name
    case "Identifier": fields.bundleID = value
    case "Version": version = value
    case "OS Version": fields.device.system = OperatingSystem(parsing: value)
    case "Beta": if value == "YES" { fields.environment = "testflight" }
    case "Date/Time": try readTime(value, line)
    default: readException(key, value)
    }
    body.header(key, value)
  }

  private mutating func readTime(_ text: String, _ line: CrashTextLines.Line) throws(DecodingFailure) {
    guard let time = Timestamp(iso: text) else {
      throw DecodingFailure(
        .value, path: "line \(line.number)",
        "Date/Time: expected a time such as 2026-11-20 10:00:00.123 +0100, found \(JSONPath.quoted(text))")
    }
    fields.time = time
  }

  private mutating func readException(_ key: CrashText, _ value: String) {
    switch key {
    case "Exception Type":
      // Such as `EXC_CRASH (SIGABRT)`.
      let words = value.split(separator: " ")
      fields.exception.name = words.first.map(String.init)
      fields.exception.type = fields.exception.name.flatMap { MachException.type(named: $0) }
      fields.exception.signal = words.dropFirst().first.flatMap { SignalNumber.named($0.dropFirst().dropLast()) }
    case "Exception Subtype": subtype = value
    case "Exception Codes": fields.exception.code = value.split(separator: ",").first.flatMap(Self.number)
    case "Termination Reason": fields.exception.termination = Self.termination(value)
    case "Triggered by Thread", "Crashed Thread":
      stacks.crashed = value.split { !$0.isNumber }.first.flatMap { UInt64($0) }
    default: break
    }
  }

  /// The termination reason in MetricKit's notation, from `Namespace SPRINGBOARD, Code 0x8badf00d` or, since iOS 15,
  /// `FRONTBOARD 2343432205`. Other texts are unchanged.
  private static func termination(_ text: String) -> String {
    let words = text.split { $0 == " " || $0 == "," }
    if words.first == "Namespace", words.count >= 4, words[2] == "Code", let code = number(words[3]) {
      return AppleReportKind.termination(namespace: String(words[1]), code: code)
    }
    guard words.count >= 2, let code = number(words[1]) else { return text }
    return AppleReportKind.termination(namespace: String(words[0]), code: code)
  }

  private static func number(_ text: Substring) -> UInt64? {
    var text = text
    return text.withUTF8 { CrashText($0).number }
  }

  /// Reads the exception's name, and its reason if the app's settings keep it, from `*** Terminating app due to
  /// uncaught exception 'NSRangeException', reason: '…'`.
  private mutating func readReason(_ text: CrashText) {
    let mark: StaticString = "uncaught exception '"
    guard let found = text.firstIndex(of: mark) else { return }
    let name = text[(found + mark.utf8CodeUnitCount)...].prefix(upTo: UInt8(ascii: "'"))
    guard (1...200).contains(name.count) else { return }
    fields.exception.name = SanitizedText.name(name.bytes)
    if context.keepsExceptionText { fields.exception.reason = text[found...].name }
  }

  /// The report. `contentHash` identifies its diagnostic if it has no incident UUID.
  mutating func report(_ contentHash: () -> UInt64, _ parser: JSONParser) throws(DecodingFailure) -> Report {
    let calls = try stacks.tree()
    fields.release = release
    fields.kind = AppleReportKind.kind(type: "", exception: fields.exception.name, subtype: subtype)
    let body = body.packed(calls, keepsText: context.keepsExceptionText, parser)
    return fields.report(calls: calls, contentHash: contentHash, body: body, context)
  }

  /// The release from a version line such as `4.2.0 (1234)`. Up to iOS 14 the build came first.
  private var release: Release {
    let parts = version.split(separator: "(", maxSplits: 1)
    let first = parts.first.map(Self.trimmed) ?? ""
    let second = parts.count > 1 ? Self.trimmed(parts[1].prefix { $0 != ")" }) : ""
    let system = fields.device.system
    let isOld = system.name == "iOS" && (system.version.split(separator: ".").first.flatMap { Int($0) } ?? 15) < 15
    return isOld && !second.isEmpty ? Release(version: second, build: first) : Release(version: first, build: second)
  }

  private static func trimmed(_ text: Substring) -> String {
    var text = text
    return text.withUTF8 { CrashText($0).name }
  }
}

extension PayloadDecoder {
  /// The reports of a body with one or more `.crash` reports; nil for any other body.
  func crashTexts(
    _ body: UnsafeRawBufferPointer, _ context: DecodingContext, _ quota: DecodingQuota
  ) throws(DecodingFailure) -> [Report]? {
    guard CrashTextLines.isPossible(body) else { return nil }
    return try CrashTextLines.read(body) { (lines) throws(DecodingFailure) in
      let all = lines.reports
      var reports: [Report] = []
      for lines in all {
        guard quota.take(.diagnostics) else {
          throw DecodingFailure(
            .value, path: "line \(lines.all.first?.number ?? 1)", DecodingQuota.tooMany(.diagnostics))
        }
        // A single report is identified by the body's bytes, as in earlier versions, so that repeated uploads are
        // recognised.
        let contentHash = {
          var hash = SeededHash(seed: 0x0A99_1E01)
          if all.count == 1 {
            hash.combine(body.bindMemory(to: UInt8.self))
          } else {
            lines.joined.withUnsafeBufferPointer { hash.combine($0) }
          }
          return hash.value
        }
        var reader = try CrashTextReader(lines, context, quota)
        reports.append(try reader.report(contentHash, parser))
      }
      return reports
    }
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
    return text.withUTF8 { stacks(in: UnsafeRawBufferPointer($0), context, quota) }
  }

  private static func stacks(
    in body: UnsafeRawBufferPointer, _ context: DecodingContext, _ quota: DecodingQuota
  ) -> (calls: CallTree, exception: ExceptionDetails)? {
    if CrashTextLines.isPossible(body) {
      return try? CrashTextLines.read(body) { (lines) throws(DecodingFailure) in
        var reader = try CrashTextReader(lines.reports.first ?? lines, context, quota)
        return (try reader.stacks.tree(), reader.fields.exception)
      }
    }
    // The first frame of a stack is number 0.
    guard body.first(where: { $0 > 0x20 }) == UInt8(ascii: "0") else { return nil }
    let calls = try? CrashTextLines.read(body) { (lines) throws(DecodingFailure) in try stack(of: lines, quota) }
    return calls.map { ($0, ExceptionDetails()) }
  }

  private static func stack(of lines: CrashTextLines, _ quota: DecodingQuota) throws(DecodingFailure) -> CallTree {
    var stacks = CrashTextStacks(quota: quota)
    _ = try stacks.read(CrashTextLines.Line(number: 0, text: CrashText("Thread 0 Crashed:")))
    for line in lines.all { _ = try stacks.read(line) }
    return try stacks.tree()
  }
}

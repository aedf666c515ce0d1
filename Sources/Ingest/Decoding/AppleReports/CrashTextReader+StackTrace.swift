internal import Core

extension CrashTextReader {
  /// The call stacks and the exception in a text that a client sends as a stack trace: a crash report, as KSCrash and
  /// PLCrashReporter write it, or only the frames of one stack (`NSException.callStackSymbols`). Nil for other texts,
  /// such as stack traces of other languages, and for more frames than a request may have.
  static func stacks(
    in text: String, _ context: DecodingContext, _ quota: RequestQuota
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

  private static func stack(of lines: CrashTextLines, _ quota: RequestQuota) throws(DecodingFailure) -> CallTree {
    var stacks = CrashTextStacks(quota: quota)
    _ = try stacks.read(CrashTextLines.Line(number: 0, text: "Thread 0 Crashed:"))
    for line in lines.all { _ = try stacks.read(line) }
    return try stacks.tree()
  }
}

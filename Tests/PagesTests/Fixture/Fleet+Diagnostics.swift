@testable import Analysis
@testable import Core
@testable import Storage
@testable import Web

extension Fleet {
  static let diagnostics = DiagnosticList(
    app: "com.example.shop", kind: nil,
    diagnostics: [
      diagnostic(
        7, .crash, exception: ExceptionDetails(type: 1, code: 1, signal: 11, name: "EXC_BAD_ACCESS"),
        time: Timestamp(milliseconds: asOf.milliseconds - 7_200_000)),
      diagnostic(5, .hang, quantity: 9_250), diagnostic(4, .diskWriteException, quantity: 1_073_741_824),
      diagnostic(2, .error, exception: ExceptionDetails(name: "NSURLErrorDomain")),
    ], next: nil)

  private static func diagnostic(
    _ number: Int64, _ kind: DiagnosticKind, quantity: Double? = nil, exception: ExceptionDetails = ExceptionDetails(),
    time: Timestamp? = nil
  ) -> StoredDiagnostic {
    StoredDiagnostic(
      number: number, identity: UInt64(number), kind: kind, source: .metricKit, environment: "production",
      release: Release(version: "4.2.0", build: "1234"), os: "iOS 18.6.2", model: "iPhone15,2", day: lastDay,
      time: time, received: asOf, quantity: quantity, exception: exception)
  }
}

public import Analysis
import Core
public import Storage

/// A part of the list of an app's diagnostics.
public struct DiagnosticList: Sendable, Equatable {
  public var app: String
  /// The kind of diagnostics that is listed; nil for all.
  var kind: DiagnosticKind?
  /// The newest first.
  public var diagnostics: [StoredDiagnostic]
  /// The value of the parameter `before` for the next part; nil for the last.
  var next: Int64?

  /// The most diagnostics in one part.
  static let most = 200
}

extension DiagnosticList: TableConvertible {
  static let fields = Fields<Self>("DiagnosticList") {
    Field.version(HealthReport.schema)
    Field.app(\.app)
    Field("kind", \.kind)
    Field("diagnostics", \.diagnostics, "The newest first.")
    Field("next", \.next, "`before` of the next page; null on the last.")
  }

  public static let table = AnswerTable<Self>(\.diagnostics)
}

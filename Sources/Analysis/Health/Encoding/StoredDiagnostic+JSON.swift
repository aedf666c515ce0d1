public import Core
public import Storage

extension StoredDiagnostic: APIObject {
  public static let fields = Fields<Self>("Diagnostic") {
    Field("id", \.number, schema: .integer(from: 0))
    Field("kind", \.kind)
    Field("source", \.source.title)
    Field("day", \.day)
    Field("time", \.time)
    Field("received", \.received)
    Field("environment", \.environment)
    Field("release", \.release.versionTitle)
    Field("build", \.release.build)
    Field("os", \.os)
    Field("device", \.model)
    Field("quantity", \.quantity)
    Field("unit", \.kind.quantityUnit?.symbol)
    Field("hang_class", { $0.kind == .hang ? ($0.hang?.hangClass ?? .unknown).name : nil }, "Null for other kinds.")
    Field("hang_rule", { $0.hang?.name }, "The rule that decided the class.")
    Field("exception", \.exception)
  }
}

extension ExceptionDetails: APIObject {
  public static let fields = Fields<Self> {
    Field("type", \.type, schema: .optional(.integer()))
    Field("code") { $0.code.map { "0x" + String($0, radix: 16) } }
    Field("signal", \.signal, schema: .optional(.integer()))
    Field("name", \.name)
    Field("termination", \.termination)
    Field("reason", \.reason)
  }
}

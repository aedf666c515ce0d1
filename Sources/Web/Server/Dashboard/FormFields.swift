/// The fields of a submitted form (`application/x-www-form-urlencoded`).
struct FormFields {
  private let fields: [(name: String, value: String)]

  init(_ body: [UInt8]) {
    fields = RequestSnapshot(method: "POST", target: "/?" + String(decoding: body, as: UTF8.self)).query
  }

  subscript(name: String) -> String? { fields.first { $0.name == name }?.value }
}

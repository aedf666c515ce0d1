import Core
import Storage
import Web

/// The configuration that an ingest node receives from its primary: the apps with their ids, keys and settings, the
/// secret for hashing ids of users and sessions, and the tokens that can read metrics.
struct NodeConfiguration {
  var secret: [UInt8]
  var apps: [App]
  /// The tokens that can read every app, as hashes.
  var tokens: [AccessToken]

  private static let version: Int64 = 1
  private static let secretBytes = 32

  init(secret: [UInt8], apps: [App], tokens: [AccessToken]) {
    self.secret = secret
    self.apps = apps
    self.tokens = tokens.filter { $0.rights.contains(.read) && $0.apps == nil }
  }

  /// Identifies the secret of an installation without revealing it.
  static func fingerprint(_ identity: KeyedIDHash) -> UInt64 { identity.hash("fingerprint", scope: "ingest nodes") }

  func encoded() -> [UInt8] {
    JSONOutput.object([
      ("version", .integer(Self.version)),
      ("secret", .string(secret.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined())),
      ("apps", .array(apps.map(Self.json))), ("tokens", .array(tokens.map(Self.json))),
    ]).encoded()
  }

  private static func json(_ app: App) -> JSONOutput {
    .object([
      ("id", .integer(Int64(app.id))), ("bundle_id", .string(app.bundleID)),
      ("created", .integer(app.created.milliseconds)), ("time_zone", .string(app.settings.timeZone)),
      ("keeps_exception_text", .bool(app.settings.keepsExceptionText)),
      // Nodes of older versions read only the first name.
      ("attribute", .optional(app.settings.attributes.first)),
      ("attributes", .array(app.settings.attributes.map(JSONOutput.string))),
      (
        "keys",
        .array(
          app.keys.map { key in
            .object([
              ("key", .string(key.key)), ("created", .integer(key.created.milliseconds)),
              ("retires", key.retires.map { .integer($0.milliseconds) } ?? .null),
            ])
          })
      ),
    ])
  }

  private static func json(_ token: AccessToken) -> JSONOutput {
    .object([
      ("name", .string(token.name)), ("hash", .string(token.hash)), ("created", .integer(token.created.milliseconds)),
      ("expires", token.expires.map { .integer($0.milliseconds) } ?? .null),
    ])
  }
}

extension NodeConfiguration {
  /// Decodes a primary's response. Throws `JSONError`.
  init(_ body: [UInt8]) throws {
    self = try body.withUnsafeBytes { bytes in
      try JSONParser(maximumDepth: 8).withDocument(bytes) { root in
        let members = try root.object()
        let version = try members.required("version")
        guard try version.integer() == Self.version else {
          throw version.failure("this node does not support this version: upgrade the node")
        }
        let secret = try members.required("secret")
        guard let bytes = Self.bytes(try secret.text().string) else {
          throw secret.failure("expected \(2 * Self.secretBytes) hexadecimal digits")
        }
        return NodeConfiguration(
          secret: bytes, apps: try members.required("apps").array().map(Self.app),
          tokens: try members.required("tokens").array().map(Self.token))
      }
    }
  }

  private static func bytes(_ text: String) -> [UInt8]? {
    let digits = text.utf8.compactMap { Character(UnicodeScalar($0)).hexDigitValue }
    guard digits.count == text.utf8.count, digits.count == 2 * secretBytes else { return nil }
    return stride(from: 0, to: digits.count, by: 2).map { UInt8(16 * digits[$0] + digits[$0 + 1]) }
  }

  private static func app(_ value: JSONValue) throws -> App {
    let members = try value.object()
    guard let id = AppID(exactly: try members.required("id").integer()), id > 0 else {
      throw value.failure("expected an app id above 0")
    }
    // Primaries of older versions send only `attribute`.
    let attributes =
      try members["attributes"].map { try $0.array().map { try $0.text().string } }
      ?? members["attribute"].flatMap { $0.textOrNil.map { [$0.string] } } ?? []
    let settings = AppSettings(
      timeZone: try members.required("time_zone").text().string,
      keepsExceptionText: try members.required("keeps_exception_text").boolean(),
      attributes: attributes)
    return App(
      id: id, bundleID: try members.required("bundle_id").text().string,
      created: try time(members.required("created")), settings: settings,
      keys: try members.required("keys").array().map { value in
        let key = try value.object()
        return IngestKey(
          key: try key.required("key").text().string, app: id, created: try time(key.required("created")),
          retires: try optionalTime(key["retires"]))
      })
  }

  private static func token(_ value: JSONValue) throws -> AccessToken {
    let members = try value.object()
    return AccessToken(
      id: 0, name: try members.required("name").text().string, hash: try members.required("hash").text().string,
      rights: .read, created: try time(members.required("created")),
      expires: try optionalTime(members["expires"]))
  }

  private static func time(_ value: JSONValue) throws -> Timestamp {
    Timestamp(milliseconds: Int64(try value.integer()))
  }

  private static func optionalTime(_ value: JSONValue?) throws -> Timestamp? {
    try value.flatMap { $0.isNull ? nil : try time($0) }
  }
}

/// The ordered migrations of each database, embedded in the binary. A list only ever grows at its end.
public enum Migrations {
  /// `control.db`: apps, keys, users, tokens.
  public static let control: [(name: String, sql: String)] = [
    ("v001_control", text(PackageResources.v001_control_sql))
  ]

  private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
}

import Testing

extension Stage {
  /// Makes a small demo fleet in the data folder.
  func fillWithDemo(users: Int = 60) throws {
    let made = try run("demo", "--users", String(users), limit: 600)
    try #require(made.succeeded, "\(made.errors)")
  }
}

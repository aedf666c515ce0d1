import GRDB

extension SQLiteStore {
  /// Whatever is asked within `body`, on this thread, is answered from one state of the store: a batch that is applied
  /// meanwhile shows in all answers or in none. Numbers of one page add up.
  public func snapshot<Answer>(_ body: () throws -> Answer) throws -> Answer { try read { _ in try body() } }

  /// Reads the state that a question around this one sees, else the newest.
  func read<Value>(_ body: (Database) throws -> Value) throws -> Value {
    try pool.unsafeReentrantRead { database in
      guard !database.isInsideTransaction else { return try body(database) }
      try database.beginTransaction(.deferred)
      let answer = Result { try body(database) }
      try database.commit()
      return try answer.get()
    }
  }
}

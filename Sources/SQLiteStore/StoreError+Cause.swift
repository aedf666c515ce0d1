import GRDB
import Storage

extension StoreError {
  /// What a batch that could not be applied is to blame for, as a `StoreError`. What the disk, the memory or another process
  /// is to blame for stays as it is: the same batch can be applied later.
  static func cause(_ error: any Error) -> any Error {
    if error is StoreError { return error }
    guard let error = error as? DatabaseError else { return damaged("\(error)") }
    switch error.resultCode {
    case .SQLITE_CONSTRAINT, .SQLITE_MISMATCH, .SQLITE_TOOBIG, .SQLITE_RANGE:
      return damaged("\(error)")
    default: return error
    }
  }
}

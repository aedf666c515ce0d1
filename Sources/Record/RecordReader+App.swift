public import Bytes

extension RecordReader {
  /// The app whose record it is.
  public func app() throws(DamagedBytes) -> Int32 {
    switch content {
    case .tally(let app, _): return app
    case .report(let report):
      var origin = ByteReader(report.origin)
      return Int32(truncatingIfNeeded: try origin.count())
    }
  }
}

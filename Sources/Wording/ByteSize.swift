/// Numbers of bytes as people read them.
public enum ByteSize {
  /// A number of bytes with a binary unit: `1.5 GiB`.
  public static func text(_ bytes: Int) -> String {
    var (value, index) = (Double(bytes), 0)
    while abs(value) >= 1024, index + 1 < units.count { (value, index) = (value / 1024, index + 1) }
    let tenths = Int((value * 10).rounded())
    return abs(value) < 10 && index > 0
      ? "\(tenths / 10).\(abs(tenths % 10)) \(units[index])" : "\(Int(value)) \(units[index])"
  }

  private static let units = ["B", "KiB", "MiB", "GiB", "TiB"]
}

/// The SQL that adds to a stored count in `ON CONFLICT DO UPDATE SET`. It saturates at the largest integer, beyond which
/// SQLite continues with floating point.
enum UpsertSum {
  /// The new value of a count on conflict. Damaged values count as 0.
  static func of(_ column: String) -> String {
    """
    min(max(CAST(\(column) AS INTEGER), 0), 9223372036854775807 - max(CAST(excluded.\(column) AS INTEGER), 0)) \
    + max(CAST(excluded.\(column) AS INTEGER), 0)
    """
  }
}

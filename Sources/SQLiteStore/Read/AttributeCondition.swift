import Core
import GRDB
import Storage

/// A filter by one of an app's attributes as a condition on the table `slice`. It matches slices of a value, and cells
/// of a set that contains the value.
struct AttributeCondition {
  let text: String
  let arguments: StatementArguments

  init(_ filter: AttributeFilter, app: AppID) {
    text = """
      slice.attribute IN (
        WITH wanted AS (
          SELECT id FROM attribute WHERE app = ? AND name = ? AND value \(filter.isExcluding ? "<>" : "=") ?)
        SELECT id FROM wanted
        UNION ALL SELECT attribute_set FROM attribute_member WHERE attribute IN (SELECT id FROM wanted))
      """
    arguments = [app, filter.name, filter.value]
  }
}

/// The SQL for the attributes of slices. The attribute of a slice is the row of a value or, for cells with values of
/// several attributes, the row of a set.
enum SliceAttributes {
  /// Joins `slice` with each of its values in the table `attribute`.
  static let values = """
    LEFT JOIN attribute_member ON attribute_member.attribute_set = slice.attribute
    LEFT JOIN attribute ON attribute.id = coalesce(attribute_member.attribute, slice.attribute)
    """

  /// Joins `slice` with the value or set in the table `attribute`, as `names` and `texts` require.
  static let join = "LEFT JOIN attribute ON attribute.id = slice.attribute"

  /// The names and the values of a slice's attributes, as in `AttributeTexts`; NULL without one.
  static let (names, texts) = (text(of: "name"), text(of: "value"))

  private static func text(of column: String) -> String {
    """
    CASE attribute.name WHEN '' THEN (
      SELECT group_concat(part, char(31)) FROM (
        SELECT member.\(column) AS part FROM attribute_member
        JOIN attribute AS member ON member.id = attribute_member.attribute
        WHERE attribute_member.attribute_set = slice.attribute ORDER BY member.name))
    ELSE attribute.\(column) END
    """
  }
}

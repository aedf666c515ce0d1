public import Storage

/// Determines the notes about merged groups: no text is lost.
public enum MergedNotes {
  /// Notes by the fingerprints of current groups. Of several, the newest comes first: its author is the author, and the
  /// owner is the newest that is named.
  public static func current(
    _ notes: [UInt64: GroupNote], successors: [UInt64: UInt64]
  ) -> [UInt64: GroupNote] {
    let byGroup = Dictionary(grouping: notes) { successors[$0.key] ?? $0.key }
    return byGroup.compactMapValues { notes in
      let sorted = notes.sorted { ($0.value.changed, $0.key) > ($1.value.changed, $1.key) }.map(\.value)
      guard var whole = sorted.first else { return nil }
      whole.owner = sorted.first { !$0.owner.isEmpty }?.owner ?? ""
      var seen: Set<String> = [""]
      whole.text = sorted.map(\.text).filter { seen.insert($0).inserted }.joined(separator: "\n\n")
      return whole
    }
  }
}

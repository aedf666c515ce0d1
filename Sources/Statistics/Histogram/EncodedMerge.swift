public import Core

extension Histogram {
  /// Appends the encoding of the sum of this distribution and an encoded one, entry by entry as they are read. A flush
  /// merges hundreds of thousands of distributions, and decoding each into arrays would dominate its time.
  ///
  /// Returns false if entries have to be joined or the schemes differ; the caller must then decode and merge. In that
  /// case, or after an error, the appended bytes are incomplete and must be discarded.
  public func encode(
    mergedWith reader: inout ByteReader, into writer: inout ByteWriter
  ) throws(DamagedBytes) -> Bool {
    var head = try EncodedHistogramHead(from: &reader)
    guard head.scheme == scheme else { return false }
    let (hadValues, hadZeros) = (head.hasValues, head.zeroCount > 0)
    head.merge(self)
    head.encode(into: &writer)
    let knownBins = try EncodedBins(from: &reader, indices: scheme.indices)
    let binCount = try bins.encode(mergedWith: knownBins, from: &reader, into: &writer)
    let knownSpans = try EncodedSpans(from: &reader)
    guard binCount <= Self.mostBins, knownSpans.coarseness == spans.coarseness else { return false }
    writer.byte(spans.coarseness)
    let spanCount = try spans.counts.encode(mergedWith: knownSpans, from: &reader, into: &writer)
    guard hadValues == (hadZeros || knownBins.left > 0 || knownSpans.left > 0) else { throw reader.damage }
    return spanCount <= SpanCounts.limit
  }
}

/// The entries of an encoded histogram, decoded one by one.
protocol EncodedEntries {
  associatedtype Entry: CountedEntry
  /// The number of entries that are not yet decoded.
  var left: Int { get }
  mutating func next(from reader: inout ByteReader) throws(DamagedBytes) -> Entry
}

extension SortedCounts {
  /// Appends the encoding of the sum of these counts and encoded ones, and returns the number of its entries.
  fileprivate func encode<Known: EncodedEntries>(
    mergedWith known: Known, from reader: inout ByteReader, into writer: inout ByteWriter
  ) throws(DamagedBytes) -> Int where Known.Entry == Entry {
    let start = writer.count
    // Replaced by the number of entries, which usually has the same size.
    writer.count(max(known.left, entries.count))
    let content = writer.count
    var known = known
    var (written, index) = (0, 0)
    var previous: Entry?
    var theirs = known.left > 0 ? try known.next(from: &reader) : nil
    while true {
      var entry: Entry
      if let next = theirs, index == entries.count || !entries[index].precedes(next) {
        entry = next
        if index < entries.count, entries[index].hasSameKey(as: next) {
          entry.count = entry.count.saturatingAdd(entries[index].count)
          index += 1
        }
        theirs = known.left > 0 ? try known.next(from: &reader) : nil
      } else if index < entries.count {
        entry = entries[index]
        index += 1
      } else {
        break
      }
      entry.encode(after: previous, into: &writer)
      previous = entry
      written += 1
    }
    writer.insert(count: written, at: start, over: content - start)
    return written
  }
}

import Testing
import TestSupport

/// `docs/metrics.md` is what `plumb metrics --format markdown` prints. `RECORD=1 make test` writes it anew.
@Test("docs/metrics.md equals the catalogue")
func metricsDocumentIsCurrent() throws {
  let printed = try Program.output(Program.plumb, ["metrics", "--format", "markdown"])
  #expect(try Golden.difference(printed, from: "docs/metrics.md") == nil, "RECORD=1 make test writes it anew")
}

/// The ordered migrations of each database, embedded in the binary. A list only ever grows at its end.
public enum Migrations {
  /// `control.db`: apps, keys, users, tokens, incidents, messages.
  public static let control: [(name: String, sql: String)] = [
    ("v001_control", text(PackageResources.v001_control_sql)),
    ("v002_incidents", text(PackageResources.v002_incidents_sql)),
    ("v003_group_states", text(PackageResources.v003_group_states_sql)),
    ("v004_upload_tokens", text(PackageResources.v004_upload_tokens_sql)),
    ("v005_own_binaries", text(PackageResources.v005_own_binaries_sql)),
    ("v006_rows_written", text(PackageResources.v006_rows_written_sql)),
    ("v007_roles", text(PackageResources.v007_roles_sql)),
    ("v008_audit", text(PackageResources.v008_audit_sql)),
    ("v009_erasures", text(PackageResources.v009_erasures_sql)),
    ("v010_app_titles", text(PackageResources.v010_app_titles_sql)),
    ("v011_group_notes", text(PackageResources.v011_group_notes_sql)),
    ("v012_incident_breaches", text(PackageResources.v012_incident_breaches_sql)),
    ("v013_attribute", text(PackageResources.v013_attribute_sql)),
    ("v014_app_store_figures", text(PackageResources.v014_app_store_figures_sql)),
    ("v017_bytes_written", text(PackageResources.v017_bytes_written_sql)),
    ("v018_audit_decisions", text(PackageResources.v018_audit_decisions_sql)),
  ]

  /// `journal.db`: records that wait for the digest, receipts.
  public static let journal: [(name: String, sql: String)] = [
    ("v001_journal", text(PackageResources.v001_journal_sql)),
    ("v002_receipt_content", text(PackageResources.v002_receipt_content_sql)),
    ("v003_receipts_by_app", text(PackageResources.v003_receipts_by_app_sql)),
    ("v004_compressed_records", text(PackageResources.v004_compressed_records_sql)),
    ("v005_receipt_records", text(PackageResources.v005_receipt_records_sql)),
    ("v006_nodes", text(PackageResources.v006_nodes_sql)),
  ]

  /// `plumb.db`: everything derived.
  public static let plumb: [(name: String, sql: String)] = [
    ("v001_plumb", text(PackageResources.v001_plumb_sql)),
    ("v002_diagnostics", text(PackageResources.v002_diagnostics_sql)),
    ("v003_arrivals", text(PackageResources.v003_arrivals_sql)),
    ("v004_session_users", text(PackageResources.v004_session_users_sql)),
    ("v005_daily", text(PackageResources.v005_daily_sql)),
    ("v006_groups", text(PackageResources.v006_groups_sql)),
    ("v007_finer_groups", text(PackageResources.v007_finer_groups_sql)),
    ("v008_own_binaries", text(PackageResources.v008_own_binaries_sql)),
    ("v009_names_by_use", text(PackageResources.v009_names_by_use_sql)),
    ("v010_turns", text(PackageResources.v010_turns_sql)),
    ("v011_day_packs", text(PackageResources.v011_day_packs_sql)),
    ("v012_quarantined_rows", text(PackageResources.v012_quarantined_rows_sql)),
    ("v013_sizes", text(PackageResources.v013_sizes_sql)),
    ("v014_attributes", text(PackageResources.v014_attributes_sql)),
    ("v016_clock", text(PackageResources.v016_clock_sql)),
    ("v017_evicted_streams", text(PackageResources.v017_evicted_streams_sql)),
  ]

  /// What `plumb.db` has besides where its rows are elsewhere.
  public static let ledger: [(name: String, sql: String)] = [
    ("ledger_v001_outbox", text(PackageResources.v001_outbox_sql))
  ]

  /// `samples.db`: bodies of diagnostics.
  public static let samples: [(name: String, sql: String)] = [
    ("v001_samples", text(PackageResources.v001_samples_sql)),
    ("v002_samples", text(PackageResources.v002_samples_sql)),
    ("v003_sample_signatures", text(PackageResources.v003_sample_signatures_sql)),
    ("v004_samples_by_app", text(PackageResources.v004_samples_by_app_sql)),
  ]

  /// A database of ClickHouse: one statement a file, which changes nothing when it is executed again.
  public static let clickhouse: [(name: String, sql: String)] = [
    ("v001_facts", text(PackageResources.v001_facts_sql))
  ]

  private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
}

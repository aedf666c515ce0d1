#include "CEmbeddedFiles.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

// The list of embedded files; add a new one here. Swift would type-check a byte array element by element. Texts end
// with a zero byte, so their size is not stored.
static const struct plumb_embedded_file files[] = {
    {"Public/plumb.css", (const unsigned char[]){
#embed "../../Public/plumb.css" suffix(, 0)
    }},
    {"Public/plumb.js", (const unsigned char[]){
#embed "../../Public/plumb.js" suffix(, 0)
    }},
    {"Public/favicon.svg", (const unsigned char[]){
#embed "../../Public/favicon.svg" suffix(, 0)
    }},
    {"Migrations/control/v001_control.sql", (const unsigned char[]){
#embed "../../Migrations/control/v001_control.sql" suffix(, 0)
    }},
    {"Migrations/control/v002_incidents.sql", (const unsigned char[]){
#embed "../../Migrations/control/v002_incidents.sql" suffix(, 0)
    }},
    {"Migrations/control/v003_group_states.sql", (const unsigned char[]){
#embed "../../Migrations/control/v003_group_states.sql" suffix(, 0)
    }},
    {"Migrations/control/v004_upload_tokens.sql", (const unsigned char[]){
#embed "../../Migrations/control/v004_upload_tokens.sql" suffix(, 0)
    }},
    {"Migrations/control/v005_own_binaries.sql", (const unsigned char[]){
#embed "../../Migrations/control/v005_own_binaries.sql" suffix(, 0)
    }},
    {"Migrations/control/v006_rows_written.sql", (const unsigned char[]){
#embed "../../Migrations/control/v006_rows_written.sql" suffix(, 0)
    }},
    {"Migrations/control/v007_roles.sql", (const unsigned char[]){
#embed "../../Migrations/control/v007_roles.sql" suffix(, 0)
    }},
    {"Migrations/control/v008_audit.sql", (const unsigned char[]){
#embed "../../Migrations/control/v008_audit.sql" suffix(, 0)
    }},
    {"Migrations/control/v009_erasures.sql", (const unsigned char[]){
#embed "../../Migrations/control/v009_erasures.sql" suffix(, 0)
    }},
    {"Migrations/control/v010_app_titles.sql", (const unsigned char[]){
#embed "../../Migrations/control/v010_app_titles.sql" suffix(, 0)
    }},
    {"Migrations/control/v011_group_notes.sql", (const unsigned char[]){
#embed "../../Migrations/control/v011_group_notes.sql" suffix(, 0)
    }},
    {"Migrations/control/v012_incident_breaches.sql", (const unsigned char[]){
#embed "../../Migrations/control/v012_incident_breaches.sql" suffix(, 0)
    }},
    {"Migrations/control/v013_attribute.sql", (const unsigned char[]){
#embed "../../Migrations/control/v013_attribute.sql" suffix(, 0)
    }},
    {"Migrations/control/v014_app_store_figures.sql", (const unsigned char[]){
#embed "../../Migrations/control/v014_app_store_figures.sql" suffix(, 0)
    }},
    {"Migrations/control/v015_bytes_written.sql", (const unsigned char[]){
#embed "../../Migrations/control/v015_bytes_written.sql" suffix(, 0)
    }},
    {"Migrations/control/v016_audit_decisions.sql", (const unsigned char[]){
#embed "../../Migrations/control/v016_audit_decisions.sql" suffix(, 0)
    }},
    {"Migrations/control/v017_app_store_notes.sql", (const unsigned char[]){
#embed "../../Migrations/control/v017_app_store_notes.sql" suffix(, 0)
    }},
    {"Migrations/control/v018_lab_runs.sql", (const unsigned char[]){
#embed "../../Migrations/control/v018_lab_runs.sql" suffix(, 0)
    }},
    {"Migrations/journal/v001_journal.sql", (const unsigned char[]){
#embed "../../Migrations/journal/v001_journal.sql" suffix(, 0)
    }},
    {"Migrations/journal/v002_receipt_content.sql", (const unsigned char[]){
#embed "../../Migrations/journal/v002_receipt_content.sql" suffix(, 0)
    }},
    {"Migrations/journal/v003_receipts_by_app.sql", (const unsigned char[]){
#embed "../../Migrations/journal/v003_receipts_by_app.sql" suffix(, 0)
    }},
    {"Migrations/journal/v004_compressed_records.sql", (const unsigned char[]){
#embed "../../Migrations/journal/v004_compressed_records.sql" suffix(, 0)
    }},
    {"Migrations/journal/v005_receipt_records.sql", (const unsigned char[]){
#embed "../../Migrations/journal/v005_receipt_records.sql" suffix(, 0)
    }},
    {"Migrations/journal/v006_nodes.sql", (const unsigned char[]){
#embed "../../Migrations/journal/v006_nodes.sql" suffix(, 0)
    }},
    {"Migrations/journal/v007_standby.sql", (const unsigned char[]){
#embed "../../Migrations/journal/v007_standby.sql" suffix(, 0)
    }},
    {"Migrations/journal/v008_promotion.sql", (const unsigned char[]){
#embed "../../Migrations/journal/v008_promotion.sql" suffix(, 0)
    }},
    {"Migrations/plumb/v001_plumb.sql", (const unsigned char[]){
#embed "../../Migrations/plumb/v001_plumb.sql" suffix(, 0)
    }},
    {"Migrations/plumb/v002_diagnostics.sql", (const unsigned char[]){
#embed "../../Migrations/plumb/v002_diagnostics.sql" suffix(, 0)
    }},
    {"Migrations/plumb/v003_arrivals.sql", (const unsigned char[]){
#embed "../../Migrations/plumb/v003_arrivals.sql" suffix(, 0)
    }},
    {"Migrations/plumb/v004_session_users.sql", (const unsigned char[]){
#embed "../../Migrations/plumb/v004_session_users.sql" suffix(, 0)
    }},
    {"Migrations/plumb/v005_daily.sql", (const unsigned char[]){
#embed "../../Migrations/plumb/v005_daily.sql" suffix(, 0)
    }},
    {"Migrations/plumb/v006_groups.sql", (const unsigned char[]){
#embed "../../Migrations/plumb/v006_groups.sql" suffix(, 0)
    }},
    {"Migrations/plumb/v007_finer_groups.sql", (const unsigned char[]){
#embed "../../Migrations/plumb/v007_finer_groups.sql" suffix(, 0)
    }},
    {"Migrations/plumb/v008_own_binaries.sql", (const unsigned char[]){
#embed "../../Migrations/plumb/v008_own_binaries.sql" suffix(, 0)
    }},
    {"Migrations/plumb/v009_names_by_use.sql", (const unsigned char[]){
#embed "../../Migrations/plumb/v009_names_by_use.sql" suffix(, 0)
    }},
    {"Migrations/plumb/v010_turns.sql", (const unsigned char[]){
#embed "../../Migrations/plumb/v010_turns.sql" suffix(, 0)
    }},
    {"Migrations/plumb/v011_day_packs.sql", (const unsigned char[]){
#embed "../../Migrations/plumb/v011_day_packs.sql" suffix(, 0)
    }},
    {"Migrations/plumb/v012_quarantined_rows.sql", (const unsigned char[]){
#embed "../../Migrations/plumb/v012_quarantined_rows.sql" suffix(, 0)
    }},
    {"Migrations/plumb/v013_sizes.sql", (const unsigned char[]){
#embed "../../Migrations/plumb/v013_sizes.sql" suffix(, 0)
    }},
    {"Migrations/plumb/v014_attributes.sql", (const unsigned char[]){
#embed "../../Migrations/plumb/v014_attributes.sql" suffix(, 0)
    }},
    {"Migrations/plumb/v015_clock.sql", (const unsigned char[]){
#embed "../../Migrations/plumb/v015_clock.sql" suffix(, 0)
    }},
    {"Migrations/plumb/v016_evicted_streams.sql", (const unsigned char[]){
#embed "../../Migrations/plumb/v016_evicted_streams.sql" suffix(, 0)
    }},
    {"Migrations/plumb/v017_update_ages.sql", (const unsigned char[]){
#embed "../../Migrations/plumb/v017_update_ages.sql" suffix(, 0)
    }},
    {"Migrations/plumb/v018_arrival_delays.sql", (const unsigned char[]){
#embed "../../Migrations/plumb/v018_arrival_delays.sql" suffix(, 0)
    }},
    {"Migrations/plumb/v019_hang_rules.sql", (const unsigned char[]){
#embed "../../Migrations/plumb/v019_hang_rules.sql" suffix(, 0)
    }},
    {"Migrations/plumb/v020_attribute_sets.sql", (const unsigned char[]){
#embed "../../Migrations/plumb/v020_attribute_sets.sql" suffix(, 0)
    }},
    {"Migrations/plumb/v021_hangs_by_age.sql", (const unsigned char[]){
#embed "../../Migrations/plumb/v021_hangs_by_age.sql" suffix(, 0)
    }},
    {"Migrations/plumb/v022_measurements_by_age.sql", (const unsigned char[]){
#embed "../../Migrations/plumb/v022_measurements_by_age.sql" suffix(, 0)
    }},
    {"Migrations/plumb/v023_row_versions.sql", (const unsigned char[]){
#embed "../../Migrations/plumb/v023_row_versions.sql" suffix(, 0)
    }},
    {"Migrations/ledger/v001_outbox.sql", (const unsigned char[]){
#embed "../../Migrations/ledger/v001_outbox.sql" suffix(, 0)
    }},
    {"Migrations/samples/v001_samples.sql", (const unsigned char[]){
#embed "../../Migrations/samples/v001_samples.sql" suffix(, 0)
    }},
    {"Migrations/samples/v002_samples.sql", (const unsigned char[]){
#embed "../../Migrations/samples/v002_samples.sql" suffix(, 0)
    }},
    {"Migrations/samples/v003_sample_signatures.sql", (const unsigned char[]){
#embed "../../Migrations/samples/v003_sample_signatures.sql" suffix(, 0)
    }},
    {"Migrations/samples/v004_samples_by_app.sql", (const unsigned char[]){
#embed "../../Migrations/samples/v004_samples_by_app.sql" suffix(, 0)
    }},
    {"Migrations/samples/v005_stacks.sql", (const unsigned char[]){
#embed "../../Migrations/samples/v005_stacks.sql" suffix(, 0)
    }},
    {"Migrations/clickhouse/v001_facts.sql", (const unsigned char[]){
#embed "../../Migrations/clickhouse/v001_facts.sql" suffix(, 0)
    }},
    {"docs/guides/crash-free.md", (const unsigned char[]){
#embed "../../docs/guides/crash-free.md" suffix(, 0)
    }},
    {"docs/guides/launch.md", (const unsigned char[]){
#embed "../../docs/guides/launch.md" suffix(, 0)
    }},
    {"docs/guides/screen-load.md", (const unsigned char[]){
#embed "../../docs/guides/screen-load.md" suffix(, 0)
    }},
    {"docs/guides/tap-to-response.md", (const unsigned char[]){
#embed "../../docs/guides/tap-to-response.md" suffix(, 0)
    }},
    {"docs/guides/hangs.md", (const unsigned char[]){
#embed "../../docs/guides/hangs.md" suffix(, 0)
    }},
    {"docs/guides/scrolling.md", (const unsigned char[]){
#embed "../../docs/guides/scrolling.md" suffix(, 0)
    }},
    {"docs/guides/swiftui.md", (const unsigned char[]){
#embed "../../docs/guides/swiftui.md" suffix(, 0)
    }},
    {"docs/guides/images.md", (const unsigned char[]){
#embed "../../docs/guides/images.md" suffix(, 0)
    }},
    {"docs/guides/memory.md", (const unsigned char[]){
#embed "../../docs/guides/memory.md" suffix(, 0)
    }},
    {"docs/guides/network.md", (const unsigned char[]){
#embed "../../docs/guides/network.md" suffix(, 0)
    }},
    {"docs/guides/energy.md", (const unsigned char[]){
#embed "../../docs/guides/energy.md" suffix(, 0)
    }},
    {"docs/guides/disk-writes.md", (const unsigned char[]){
#embed "../../docs/guides/disk-writes.md" suffix(, 0)
    }},
};

const struct plumb_embedded_file *plumb_embedded_files(size_t *count) {
  *count = sizeof files / sizeof files[0];
  return files;
}

static const unsigned char dictionary[] = {
#embed "../SQLiteStore/Journal/records-1.dictionary"
};

const unsigned char *plumb_record_dictionary(size_t *size) {
  *size = sizeof dictionary;
  return dictionary;
}

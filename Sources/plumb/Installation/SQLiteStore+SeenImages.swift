import Health
import SQLiteStore
import Storage
import Symbols

extension SQLiteStore {
  /// The binaries that diagnostics of an app's builds named, as `symbols list` counts them: the newest build first.
  func imagesSeen(of app: App) throws -> [SeenImage] {
    try images(of: app.id).map { image in
      SeenImage(release: image.release, name: image.name, uuid: image.uuid, isOwn: image.isOwn)
    }.sorted { VersionOrder.precedes($1.release, $0.release) }
  }
}

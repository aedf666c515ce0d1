import SQLiteStore
import Storage
import Symbols

extension SQLiteStore {
  /// The binaries that diagnostics of an app's builds named, as `symbols list` counts them.
  func imagesSeen(of app: App) throws -> [SeenImage] {
    try images(of: app.id).map { image in
      SeenImage(release: image.release, name: image.name, uuid: image.uuid, isOwn: image.isOwn)
    }
  }
}

import Core
import Foundation
import SQLiteStore
import Storage
import Web

extension Settings {
  /// The defaults of numbers that more than one server or command reads. `docs/settings.md` lists them.
  enum Default {
    static let requestsPerSecond = 50_000
    static let rowsPerDay = 20_000_000
    static let bytesPerDay = 8 << 30
    /// Bytes of a payload as sent.
    static let bodyLimit = 4 << 20
    /// Bytes of one upload of symbols.
    static let uploadLimit = 2 << 30
    /// Bytes of all uploaded symbols.
    static let symbolsLimit = 20 << 30
  }

  /// The retention periods: the settings `keep-fine`, `keep-daily` and so on, in days such as `35d`.
  func retention() throws -> Retention {
    var retention = Retention()
    for kind in Retention.kinds {
      guard let span = try span(kind.key, flag: nil) else { continue }
      let days = Int(span.milliseconds / 86_400_000)
      guard span.milliseconds % 86_400_000 == 0, kind.bounds.contains(days) else {
        throw invalid(
          kind.key, flag: nil, expected: "whole days from \(kind.bounds.lowerBound)d to \(kind.bounds.upperBound)d")
      }
      retention[keyPath: kind.days] = days
    }
    retention.mostSessions = try number("sessions-limit", default: retention.mostSessions)
    guard retention.daily >= retention.fine else {
      throw UsageError("\(origin("keep-daily", flag: nil)) must not be shorter than keep-fine.")
    }
    return retention
  }

  /// The free space below which less is written: the setting `free-space`, in bytes with or without a unit (`2GiB`), or
  /// as a share of the disk (`5%`).
  func spaceFloor() throws -> SpaceFloor {
    guard let text = value("free-space", flag: nil) else { return .standard }
    if text.hasSuffix("%") { return SpaceFloor(bytes: nil, share: try share("free-space", flag: nil)) }
    if let bytes = Self.bytes(of: text) { return SpaceFloor(bytes: bytes, share: nil) }
    throw invalid("free-space", flag: nil, expected: "bytes such as 2GiB or 500MiB, or a share such as 5%")
  }
}

extension Settings {
  /// The most bytes of records that can wait in the journal.
  func journalLimit() throws -> Int { try size("journal-limit", default: BacklogWatch.standard, such: "10GiB") }

  /// The most bytes that an app can write per day.
  func bytesPerDay() throws -> Int { try size("bytes-per-day", default: Default.bytesPerDay, such: "8GiB") }

  /// The value of `key` in bytes, above 0, with or without a unit; `standard` if it is not set.
  private func size(_ key: String, default standard: Int, such example: String) throws -> Int {
    guard let text = value(key, flag: nil) else { return standard }
    guard let bytes = Self.bytes(of: text), bytes > 0 else {
      throw invalid(key, flag: nil, expected: "bytes such as \(example) or 500MiB")
    }
    return bytes
  }

  /// Parses a number of bytes such as `2GiB`; nil for anything else.
  private static func bytes(of text: String) -> Int? {
    let units: [(String, Int)] = [("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10), ("", 1)]
    guard let (unit, factor) = units.first(where: { text.hasSuffix($0.0) }),
      let number = Int(text.dropLast(unit.count)), number >= 0, number <= 1 << 60 / factor
    else { return nil }
    return number * factor
  }
}

extension Installation {
  /// The space on the folder's disk. `now`: the end of the period in which the folder's growth is measured.
  func space(_ settings: Settings, now: Timestamp) throws -> SpaceStatus {
    let space = try FreeSpace.of(folder.url.path)
    return SpaceStatus(
      space: space, floor: try settings.spaceFloor().bytes(of: space.total),
      growth: try store().growth(until: now.day()))
  }
}

extension WriteQuota {
  /// The quotas of each app in the settings.
  convenience init(_ settings: Settings) throws {
    self.init(
      perDay: try settings.number("rows-per-day", default: Settings.Default.rowsPerDay),
      bytesPerDay: try settings.bytesPerDay())
  }
}

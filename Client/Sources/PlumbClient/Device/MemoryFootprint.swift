import Foundation

#if canImport(Darwin)
  import Darwin
#endif

/// The memory of this process.
enum MemoryFootprint {
  /// Bytes that count towards the OS's limit: the physical footprint, or on Linux the resident size. Nil if unknown.
  static func bytes() -> Double? {
    #if canImport(Darwin)
      var info = task_vm_info_data_t()
      var count = mach_msg_type_number_t(MemoryLayout<task_vm_info_data_t>.size / MemoryLayout<natural_t>.size)
      let result = withUnsafeMutablePointer(to: &info) { pointer in
        pointer.withMemoryRebound(to: integer_t.self, capacity: Int(count)) {
          task_info(mach_task_self_, task_flavor_t(TASK_VM_INFO), $0, &count)
        }
      }
      return result == KERN_SUCCESS ? Double(info.phys_footprint) : nil
    #else
      guard let status = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8) else { return nil }
      let pages = status.split(separator: " ").dropFirst().first.flatMap { Double($0) }
      return pages.map { $0 * 4096 }
    #endif
  }
}

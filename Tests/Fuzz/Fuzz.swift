import PayloadRoad

/// One per process: libFuzzer calls from one thread.
private nonisolated(unsafe) let road = PayloadRoad()

/// What libFuzzer calls with every input: `make fuzz`.
@_cdecl("LLVMFuzzerTestOneInput")
public func travel(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  road.travel(UnsafeRawBufferPointer(start: bytes, count: count))
  return 0
}

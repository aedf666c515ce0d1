/// The call stacks of a diagnostic in one form for every client. Frames are in one array, callers before callees, each
/// with the index of its caller. A crash's stack is a chain; sampled stacks branch.
public struct CallTree: Sendable, Equatable {
  /// The binaries that frames refer to by index.
  public var binaries: [Binary]
  public var frames: [Frame]
  public var threads: [Thread]

  public init(binaries: [Binary] = [], frames: [Frame] = [], threads: [Thread] = []) {
    self.binaries = binaries
    self.frames = frames
    self.threads = threads
  }

  /// Whether the tree has no frames.
  public var isEmpty: Bool { frames.isEmpty }

  /// An executable or library. Name or UUID is empty when the client did not send it.
  public struct Binary: Hashable, Sendable {
    /// The binary's file name without its path, such as `Shop`.
    public var name: String
    /// The build UUID as 32 upper-case hexadecimal digits; empty when unknown.
    public var uuid: String
    /// Whether the binary belongs to the app or to the system; unknown if the report does not state it.
    public var origin: Origin

    public init(name: String, uuid: String, origin: Origin = .unknown) {
      self.name = name
      self.uuid = uuid
      self.origin = origin
    }

    /// Whether a binary belongs to the app or to the system. Raw values are stored: never change one.
    public enum Origin: UInt8, Hashable, Sendable {
      /// The report does not state which.
      case unknown = 0
      /// The binary is part of the app.
      case app = 1
      /// The binary is part of the operating system.
      case system = 2
    }
  }

  /// One call in a stack.
  public struct Frame: Hashable, Sendable {
    /// The index of the calling frame in `frames`; −1 for an outermost frame.
    public var caller: Int
    /// The index of the frame's binary in `binaries`; −1 when unknown.
    public var binary: Int
    /// Bytes from the start of the binary; nil when unknown.
    public var offset: UInt64?
    /// The address in the process's memory; nil when unknown.
    public var address: UInt64?
    /// The number of samples that passed through the frame: 1 in a crash.
    public var samples: Int
    /// The function and source line, when the client sent them.
    public var symbol: Symbol?

    public init(
      caller: Int, binary: Int = -1, offset: UInt64? = nil, address: UInt64? = nil, samples: Int = 1,
      symbol: Symbol? = nil
    ) {
      self.caller = caller
      self.binary = binary
      self.offset = offset
      self.address = address
      self.samples = samples
      self.symbol = symbol
    }
  }

  /// A function with its source file and line, where known. A class, so that frames stay small: they are copied often,
  /// and few have a symbol.
  public final class Symbol: Hashable, Sendable {
    public let function: String
    public let file: String
    public let line: Int?

    public init(function: String, file: String = "", line: Int? = nil) {
      self.function = function
      self.file = file
      self.line = line
    }

    public static func == (left: Symbol, right: Symbol) -> Bool {
      left.function == right.function && left.file == right.file && left.line == right.line
    }

    public func hash(into hasher: inout Hasher) {
      hasher.combine(function)
      hasher.combine(file)
      hasher.combine(line)
    }
  }

  /// The frames of one thread: those in `range`. A tree merged from several threads is stored as one.
  public struct Thread: Hashable, Sendable {
    public var range: Range<Int>
    /// Whether the diagnostic is about this thread: the one that crashed or hung.
    public var isAttributed: Bool

    public init(range: Range<Int>, isAttributed: Bool) {
      self.range = range
      self.isAttributed = isAttributed
    }
  }
}

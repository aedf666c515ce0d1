/// The call stacks of a diagnostic in one shape whatever the client's: frames in one array, outermost first, each with the
/// place of its caller. A caller stands before those it calls. A crash's stack is a chain; sampled stacks branch.
public struct CallTree: Sendable, Equatable {
  /// Images the frames lie in.
  public var binaries: [Binary]
  public var frames: [Frame]
  public var threads: [Thread]

  public init(binaries: [Binary] = [], frames: [Frame] = [], threads: [Thread] = []) {
    self.binaries = binaries
    self.frames = frames
    self.threads = threads
  }

  /// No frame is known.
  public var isEmpty: Bool { frames.isEmpty }

  /// An executable or library. Either part may be empty where the client did not say.
  public struct Binary: Hashable, Sendable {
    /// `Shop`, without a path.
    public var name: String
    /// 32 upper-case hexadecimal digits, or empty.
    public var uuid: String
    /// Whether it belongs to the app or to the system, as far as the report states it.
    public var origin: Origin

    public init(name: String, uuid: String, origin: Origin = .unknown) {
      self.name = name
      self.uuid = uuid
      self.origin = origin
    }

    /// Who made a binary.
    public enum Origin: UInt8, Hashable, Sendable {
      /// The report does not say.
      case unknown = 0
      /// It came with the app.
      case app = 1
      /// It came with the operating system.
      case system = 2
    }
  }

  /// One call.
  public struct Frame: Hashable, Sendable {
    /// The place of the calling frame in `frames`; −1 for an outermost one.
    public var caller: Int
    /// The place in `binaries`; −1 when unknown.
    public var binary: Int
    /// Bytes from the start of the binary; nil when unknown.
    public var offset: UInt64?
    /// Where it lay in memory; nil when unknown.
    public var address: UInt64?
    /// Samples that passed through it: 1 in a crash.
    public var samples: Int
    /// What the client already knows of it.
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

  /// A name and place in the source.
  public struct Symbol: Hashable, Sendable {
    public var function: String
    public var file: String
    public var line: Int?

    public init(function: String, file: String = "", line: Int? = nil) {
      self.function = function
      self.file = file
      self.line = line
    }
  }

  /// The frames of one thread: those in `range`. Without threads of its own, a merged tree is one thread.
  public struct Thread: Hashable, Sendable {
    public var range: Range<Int>
    /// The thread the diagnostic is about: the one that crashed or hung.
    public var isAttributed: Bool

    public init(range: Range<Int>, isAttributed: Bool) {
      self.range = range
      self.isAttributed = isAttributed
    }
  }
}

/// Names of the code behind frames, from uploaded symbols.
public protocol SymbolSource: Sendable {
  /// Grows whenever symbols are added or removed, so that what was worked out without them can be worked out again.
  var generation: Int { get }

  /// Whether symbols of this binary are there. `uuid`: 32 upper-case hexadecimal digits.
  func hasSymbols(uuid: String) -> Bool

  /// For each offset from the start of the binary's `__TEXT` that could be resolved: the function and those inlined into it,
  /// outermost first. Names are demangled. Empty when the binary has no symbols.
  ///
  /// An offset is looked up as given: the caller subtracts one from return addresses.
  func symbols(uuid: String, offsets: [UInt64]) -> [UInt64: [CallTree.Symbol]]
}

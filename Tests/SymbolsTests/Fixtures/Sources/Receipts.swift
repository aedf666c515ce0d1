// Compiled without a standard library, so that its names are mangled as on devices ($s) and no SDK is needed.

precedencegroup AssignmentPrecedence {
  assignment: true
}

public struct Sum {
  public var cents: Builtin.Int64
}

@inline(__always)
func halved(_ sum: Sum) -> Sum {
  Sum(cents: Builtin.sdiv_Int64(sum.cents, sum.cents))
}

public enum Receipts {
  @inline(never)
  public static func enter(_ sum: Sum, under other: Sum) -> Sum {
    Sum(cents: Builtin.sdiv_Int64(other.cents, halved(sum).cents))
  }
}

public final class Printer {
  var last: Sum
  public init(showing sum: Sum) { self.last = sum }

  @inline(never)
  public func printed(_ sum: Sum, through filter: (Sum) -> Sum) -> Sum {
    filter(Receipts.enter(sum, under: self.last))
  }
}

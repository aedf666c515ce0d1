public import Grouping
public import Symbols

extension Symbolizer: SymbolLookup {}

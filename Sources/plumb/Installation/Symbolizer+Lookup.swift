public import Issues
public import Symbols

extension Symbolizer: SymbolLookup {}

import Testing
import TestSupport

/// `docs/commands.md` has the help of every command. `RECORD=1 make test` writes it anew.
@Test("docs/commands.md has the help of the built program")
func commandsDocumentIsCurrent() throws {
  let document = CommandsDocument(try CommandTree.built()).text
  #expect(try Golden.difference(document.utf8, from: "docs/commands.md") == nil, "RECORD=1 make test writes it anew")
}

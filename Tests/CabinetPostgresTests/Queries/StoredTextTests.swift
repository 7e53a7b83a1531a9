import Cabinet
import Testing

@testable import CabinetPostgres

/// The stored form of a text can be decoded, and has the text's order.
@Suite struct StoredTextTests {
    private static let texts = [
        "", "\0", "\u{1}", "\u{2}", "\u{3}", "a", "a\0", "a\u{1}", "a\0b", "\0\0", "\0\u{1}", "\u{1}\0", "\u{1}\u{2}",
        "\u{1}\u{3}", "\u{2}\u{1}", "e\u{301}", "\u{1F6D2}", "\u{FFFD}\u{1}",
    ]

    @Test func textsAreRestored() {
        for text in Self.texts {
            let stored = StoredText.encoded(text)
            #expect(!stored.utf8.contains(0), "\(text.debugDescription)")
            #expect(StoredText.decoded(stored).utf8.elementsEqual(text.utf8), "\(text.debugDescription)")
        }
        #expect(StoredText.encoded("milk") == "milk")
    }

    @Test func orderAndBeginningsAreKept() {
        for left in Self.texts {
            for right in Self.texts {
                let label = "\(left.debugDescription), \(right.debugDescription)"
                let (first, second) = (StoredText.encoded(left), StoredText.encoded(right))
                #expect(
                    left.utf8.lexicographicallyPrecedes(right.utf8)
                        == first.utf8.lexicographicallyPrecedes(second.utf8),
                    "\(label)")
                #expect(left.utf8.starts(with: right.utf8) == first.utf8.starts(with: second.utf8), "\(label)")
            }
        }
    }

    @Test func whatIsStoredByHandIsRead() {
        #expect(StoredText.decoded("\u{1}") == "")
        #expect(StoredText.decoded("\u{1}x").utf8.elementsEqual("\u{1}".utf8))
    }
}

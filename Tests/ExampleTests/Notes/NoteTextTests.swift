import Foundation
import Testing

@testable import Notes

@Suite("Notes: displayed values")
struct NoteTextTests {
    @Test(
        "A number of bytes as a person reads it",
        arguments: [
            (0, "0 bytes"), (999, "999 bytes"), (1000, "1.0 kB"), (2321, "2.3 kB"), (999_949, "999.9 kB"),
            (999_999, "1.0 MB"), (2_147_483_648, "2.1 GB"), (.max, "9223372.0 TB"),
        ] as [(Int64, String)])
    func bytes(count: Int64, text: String) {
        #expect(count.shownAsBytes == text)
    }

    @Test("A date in the tutorial's format: MMMM dd, yyyy, hh:mm")
    func date() {
        let calendar = Calendar(identifier: .gregorian)
        for (hour, text) in [(0, "12:05"), (9, "09:05"), (12, "12:05"), (23, "11:05")] {
            let components = DateComponents(year: 2026, month: 3, day: 4, hour: hour, minute: 5)
            #expect(calendar.date(from: components)?.shown == "March 04, 2026, \(text)")
        }
    }

    @Test("A draft names its missing parts")
    func missing() {
        var draft = Draft()
        #expect(draft.missing != nil)
        draft.title = "Hills"
        draft.text = " \n\t"
        #expect(draft.missing == "A note needs a text, which is missing.")
        draft.text = "We walk."
        #expect(draft.missing == nil)
    }
}

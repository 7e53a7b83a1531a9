import Cabinet
import ExampleSupport
import Foundation
import ProgramTestSupport
import TerminalProgram
import Testing

@testable import Notes

@Suite("Notes: the store, with a clock that stands still, and several devices")
struct NotesStoreTests {
    private let folder: TemporaryFolder
    private let clock = DemoClock()

    init() throws {
        folder = try TemporaryFolder()
    }

    private func device(in name: String = "store") throws -> NotesStore {
        try NotesStore(
            .folder(folder.url.appending(path: name)), now: clock.now)
    }

    private func draft(_ title: String, _ text: String = "Text") -> Draft {
        var draft = Draft()
        (draft.title, draft.text) = (title, text)
        return draft
    }

    private func add(_ title: String, to store: NotesStore) async throws -> Note {
        try await store.add(draft(title)) { _ in }
    }

    @Test(
        "Notes of one second have names of their own, on devices that share a store and on others",
        arguments: [true, false])
    func sameSecond(isShared: Bool) async throws {
        let (phone, tablet) = (try device(), try device(in: isShared ? "store" : "other store"))
        var notes: [Note] = []
        for (number, store) in [phone, phone, tablet, phone, tablet].enumerated() {
            notes.append(try await add("Note \(number)", to: store))
        }
        let second = Int(clock.now().timeIntervalSinceReferenceDate)
        #expect(notes.allSatisfy { $0.number == "\(second)" && $0.id.recordName.hasPrefix("\(second)-") })
        #expect(Set(notes.map(\.id.recordName)).count == 5)
        try await tablet.fetch()
        #expect(await tablet.notes.map(\.title) == (isShared ? [0, 1, 2, 3, 4] : [2, 4]).map { "Note \($0)" })
        await phone.close()
        await tablet.close()
    }

    @Test("An answer that has a record twice is shown, and so is the next one")
    func repeatedRecord() async throws {
        let store = try device()
        let note = try await add("Hills", to: store)
        let record = try await store.database.record(for: note.id)
        for records in [[record, record], [record]] {
            await store.replaceNotes(with: records)
            #expect(await store.notes.map(\.title) == records.map { _ in "Hills" })
        }
        await store.close()
    }

    @Test("Editing changes the same record, and stamps a new date")
    func editing() async throws {
        let store = try device()
        let note = try await add("Hills", to: store)
        clock.advance(by: 60)
        let edited = try await store.change(note, to: draft("Hills at dawn")) { _ in }
        #expect(edited.id == note.id)
        #expect(edited.editedDate == clock.now())
        #expect(edited.picture?.asset == note.picture?.asset)
        #expect(await store.notes.map(\.title) == ["Hills at dawn"])
        await store.close()
    }

    @Test("Two devices change different fields of a note: both changes stay, and the later date")
    func differentFields() async throws {
        let (phone, tablet) = (try device(), try device())
        let mine = try await add("Hills", to: phone)
        try await tablet.fetch()
        let theirs = try #require(await tablet.notes.first)
        clock.advance(by: 60)
        _ = try await tablet.change(theirs, to: draft("Hills at dawn")) { _ in }
        clock.advance(by: -30)
        let merged = try await phone.change(mine, to: draft("Hills", "We walk.")) { _ in }
        #expect(merged.title == "Hills at dawn")
        #expect(merged.text == "We walk.")
        #expect(merged.editedDate == clock.now().addingTimeInterval(30))
        #expect(merged.picture?.header?.dimensions == "320 × 240")
        await phone.close()
        await tablet.close()
    }

    @Test("Two devices change the same field: nothing is lost, and the second one gets an error")
    func sameField() async throws {
        let (phone, tablet) = (try device(), try device())
        let mine = try await add("Hills", to: phone)
        try await tablet.fetch()
        let theirs = try #require(await tablet.notes.first)
        _ = try await tablet.change(theirs, to: draft("Hills at dawn")) { _ in }
        let error = await #expect(throws: NotesError.self) {
            try await phone.change(mine, to: draft("Hills at dusk")) { _ in }
        }
        #expect(error?.conflict?.conflict.serverValue as? String == "Hills at dawn")
        #expect(
            error?.description
                == """
                We were not able to save your note.
                Another device has changed the note's title in the meantime.
                Theirs: Hills at dawn
                Yours: Hills at dusk
                """)
        #expect(await phone.notes.map(\.title) == ["Hills at dawn"])

        let conflict = try #require(error?.conflict?.conflict)
        for (preference, title) in [(Preference.theirs, "Hills at dawn"), (.mine, "Hills at dusk")] {
            let saved = try await phone.change(mine, to: draft("Hills at dusk"), decisions: [conflict: preference]) {
                _ in
            }
            #expect(saved.title == title)
        }
        await phone.close()
        await tablet.close()
    }

    @Test("A note that another device has deleted cannot be changed, and leaves the list")
    func deleted() async throws {
        let (phone, tablet) = (try device(), try device())
        let mine = try await add("Hills", to: phone)
        try await tablet.fetch()
        try await tablet.delete(try #require(await tablet.notes.first))
        let error = await #expect(throws: NotesError.self) {
            try await phone.change(mine, to: draft("Hills at dusk")) { _ in }
        }
        #expect(error?.isDeletion == true)
        #expect(await phone.notes.isEmpty)
        await phone.close()
        await tablet.close()
    }

    @Test("A record that another program made does not break the list")
    func strangeRecords() async throws {
        let store = try device()
        var picture = Record(recordType: "Notes", recordID: RecordID(recordName: "b"))
        picture["noteImage"] = Asset(data: Data("GIF89a".utf8))
        try await store.database.save(Record(recordType: "Notes", recordID: RecordID(recordName: "a")))
        try await store.database.save(picture)
        try await store.database.save(Record(recordType: "Others"))
        try await store.fetch()
        let notes = await store.notes
        #expect(notes.map(\.shownTitle) == ["-", "-"])
        #expect(notes.map(\.shownDate) == ["-", "-"])
        #expect(notes.map(\.shownPicture) == ["no picture", "a picture that cannot be read, 6 bytes"])
        await store.close()
    }

    @Test("Progress is reported, from the start to the end")
    func progress() async throws {
        let store = try device()
        var bytes = TestPicture.png(width: 1000, height: 1000)
        bytes += Array(repeating: 7, count: 5_000_000)
        let file = folder.url.appending(path: "large.png")
        try Data(bytes).write(to: file)
        var draft = draft("Large")
        draft.picture = try .checked(file)
        let fractions = Fractions()
        _ = try await store.add(draft, progress: fractions.add)
        let told = fractions.all
        #expect(told.count > 3)
        #expect(told == told.sorted())
        #expect(told.last == 1)
        await store.close()
    }
}

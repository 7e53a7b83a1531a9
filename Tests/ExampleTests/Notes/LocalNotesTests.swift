import Cabinet
import CabinetSQLite
import Foundation
import ProgramTestSupport
import Testing

@testable import Notes

@Suite("Notes: a device's stored notes, and its fetches")
struct LocalNotesTests {
    private let notes: NotesProgram

    init() throws {
        notes = try NotesProgram()
    }

    /// The file of a device's notes.
    private func file(of device: String) -> URL {
        notes.folder.url.appending(path: "\(device)/local-notes.json")
    }

    @Test("The second start fetches only changes")
    func onlyWhatIsNew() async throws {
        for number in 1...3 { try await notes.add("Note \(number)") }
        #expect(try await notes.fetched(by: "phone") == "Fetched the latest changes: 3 notes, 0 deletions.\n")
        #expect(try await notes.fetched(by: "phone") == "Fetched the latest changes: 0 notes, 0 deletions.\n")
        try await notes.add("Note 4")
        try await notes.rows("delete", "Note 1")
        #expect(try await notes.fetched(by: "phone") == "Fetched the latest changes: 1 note, 1 deletion.\n")
        #expect(try await notes.fetched(by: "phone") == "Fetched the latest changes: 0 notes, 0 deletions.\n")
        #expect(
            try await notes.rows("list", "--cache", notes.folder.path("phone")).map { $0[0] } == [
                "Note 2", "Note 3", "Note 4",
            ])
        #expect(try await notes.fetched(by: "tablet") == "Fetched the latest changes: 3 notes, 0 deletions.\n")
    }

    @Test("A device's own notes are counted separately")
    func own() async throws {
        try await notes.add("Note")
        let outcome = try await notes.run("list", "--verbose")
        #expect(
            outcome.errors == "Fetched the latest changes: 0 notes, 1 that this device has saved itself, 0 deletions.\n"
        )
    }

    @Test("Without --verbose, nothing is said")
    func quiet() async throws {
        try await notes.add("Note")
        #expect(try await notes.run("list").errors == "")
    }

    @Test(
        "A damaged file is thrown away, and everything is fetched",
        arguments: [
            "", "{}", "no JSON", #"{"version":1,"store":"","notes":[{"record":7}]}"#, #"{"version":2}"#, "cut", "zeros",
        ])
    func damaged(content: String) async throws {
        try await notes.add("Note")
        _ = try await notes.fetched(by: "phone")
        let whole = try Data(contentsOf: file(of: "phone"))
        let damaged =
            switch content {
            case "cut": whole.prefix(whole.count / 2)
            case "zeros": Data(count: whole.count)
            default: Data(content.utf8)
            }
        try damaged.write(to: file(of: "phone"))

        let report = try await notes.fetched(by: "phone")
        #expect(report.hasPrefix("The notes in \(file(of: "phone").path) were discarded: "))
        #expect(report.hasSuffix("\nFetched the latest changes: 1 note, 0 deletions.\n"))
        #expect(try await notes.fetched(by: "phone") == "Fetched the latest changes: 0 notes, 0 deletions.\n")
    }

    @Test("Notes of another store are not used for this one")
    func otherStore() async throws {
        try await notes.add("Note")
        _ = try await notes.fetched(by: "phone")
        let other = ["list", "--verbose", "--cache", notes.folder.path("phone"), "--store", notes.folder.path("other")]
        let outcome = try await notes.program.run(other, in: notes.folder)
        #expect(outcome.output == "")
        #expect(outcome.errors.contains("It belongs to the store in \(notes.store)"))
        #expect(outcome.errors.hasSuffix("No Notes Found\n"))
    }

    @Test("A store that was replaced by an older one is fetched again")
    func expiredToken() async throws {
        try await notes.add("Note 1")
        let files = FileManager.default
        try files.copyItem(atPath: notes.store, toPath: notes.folder.path("backup"))
        try await notes.add("Note 2")
        try await notes.rows("delete", "Note 1")
        _ = try await notes.fetched(by: "phone")
        try files.removeItem(atPath: notes.store)
        try files.moveItem(atPath: notes.folder.path("backup"), toPath: notes.store)

        let report = try await notes.fetched(by: "phone")
        #expect(report.hasPrefix("The stored notes can no longer be used: "))
        #expect(report.hasSuffix("\nFetched the latest changes: 1 note, 0 deletions.\n"))
        #expect(try await notes.rows("list", "--cache", notes.folder.path("phone")).map { $0[0] } == ["Note 1"])
    }

    @Test("A folder that cannot be written is not a reason to fail")
    func unwritable() async throws {
        try await notes.add("Note")
        let file = try notes.folder.write("a file, and no folder", to: "phone")
        let outcome = try await notes.run("list", "--cache", file)
        #expect(outcome.status == 0)
        #expect(outcome.lines.count == 1)
    }

    @Test("A first start that is killed leaves a whole file or none, and the next one ends with everything")
    func interrupted() async throws {
        let count = 1200
        try await fillStore(with: count)
        let listing = ["list", "--store", notes.store, "--cache", notes.folder.path("phone")]
        for delay in [0, 5, 20, 60] {
            try? FileManager.default.removeItem(atPath: notes.folder.path("phone"))
            // After the first page is stored, and a little later each time.
            try await notes.program.kill(listing, in: notes.folder, after: .milliseconds(delay)) {
                FileManager.default.fileExists(atPath: file(of: "phone").path)
            }
            let kept = try LocalNotesFile(
                folder: file(of: "phone").deletingLastPathComponent(), store: notes.store
            ).read().notes.count
            #expect(kept > 0)
            let report = try await notes.fetched(by: "phone")
            #expect(report == "Fetched the latest changes: \(count - kept) notes, 0 deletions.\n")
            #expect(try await notes.rows("list", "--cache", notes.folder.path("phone")).count == count)
        }
    }

    /// Saves many notes at once.
    private func fillStore(with count: Int) async throws {
        let backend = SQLiteBackend(directory: URL(filePath: notes.store))
        let container = try Container(identifier: "com.example.notes", backend: backend)
        let records = (0..<count).map { number in
            var record = Record(recordType: "Notes", recordID: RecordID(recordName: "\(number)"))
            record["noteTitle"] = "Note \(number)"
            record["noteText"] = "Text"
            record["noteEditedDate"] = Date()
            record["noteImage"] = Asset(data: Data(TestPicture.png(width: 8, height: 8)))
            return record
        }
        let results = try await container.privateDatabase.modifyRecords(saving: records, deleting: [])
        for result in results.saveResults.values { _ = try result.get() }
        await container.close()
    }
}

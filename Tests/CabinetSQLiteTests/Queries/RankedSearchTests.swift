import Cabinet
import CabinetTools
import Foundation
import StorageTestSupport
import Testing

@testable import CabinetSQLite

/// Pages by relevance have the records that sorting all of them gives, however many steps they are read in.
@Suite struct RankedSearchTests {
    private func container(_ store: Store) throws -> Container {
        try Container(
            identifier: "com.example.notes", backend: store.backend, schema: .strict(RankedNotes.schema))
    }

    @Test(arguments: [(3_000, 1), (500, 2)] as [(Int, UInt64)])
    func pages(count: Int, seed: UInt64) async throws {
        let store = Store()
        defer { withExtendedLifetime(store) {} }
        let (notes, container) = (RankedNotes(count, seed: seed), try container(store))
        try await notes.save(in: container)
        try await notes.expectPages(in: container.privateDatabase)
        try await notes.expectOtherForms(in: container.privateDatabase)
    }

    @Test("The classes of length are in ascending order and have no gaps")
    func lengthClasses() {
        var last = 0
        for length in 1...200_000 {
            let lengthClass = IndexedWords.lengthClass(of: length)
            #expect(lengthClass >= last && IndexedWords.lengthClasses.contains(lengthClass))
            if let greatest = IndexedWords.greatestLength(of: lengthClass) { #expect(length <= greatest) }
            if lengthClass > last, let greatest = IndexedWords.greatestLength(of: last) { #expect(length > greatest) }
            last = lengthClass
        }
        #expect(last == IndexedWords.lengthClasses.upperBound && IndexedWords.greatestLength(of: last) == nil)
        #expect(IndexedWords.lengthClass(of: 0) == 0 && IndexedWords.lengthClass(of: .max) == last)
    }

    @Test("A store whose index has no marks gives the same, and its first write adds them")
    func earlierLayout() async throws {
        let store = Store()
        let notes = RankedNotes(1_500, seed: 4)
        try await notes.save(in: container(store))
        await store.backend.close()
        let path = store.directory.appendingPathComponent("private-_default_user.sqlite").path
        try lowerLayout(path, store)
        let old = Store(in: store.directory)
        let container = try Container(identifier: "com.example.notes", backend: old.backend)
        func check() async throws {
            try await notes.expectOtherForms(in: container.privateDatabase)
            #expect(try await container.verify().isClean)
        }
        try await check()
        #expect(try store.sql("PRAGMA user_version", path: path) == [["8"]])
        try await container.privateDatabase.save(Record(recordType: "Others"))
        #expect(try store.sql("PRAGMA user_version", path: path) == [["9"]])
        try await check()
        await container.close()
    }

    /// Replaces the full-text index by one of layout 8, which has no marks.
    private func lowerLayout(_ path: String, _ store: Store) throws {
        let rows = try store.sql(#"SELECT rowid, words FROM "cabinet_search_Notes.words""#, path: path)
        let values = rows.map { row in
            let words = (row[1] ?? "").split(separator: " ").filter { !$0.hasPrefix("^") }
            return "(\(row[0] ?? "0"), '\(words.joined(separator: " "))')"
        }
        try withExtendedLifetime(DatabaseHandle(path: path, creates: false)) { handle in
            try handle.execute(
                """
                DROP TABLE "cabinet_search_Notes.words";
                CREATE VIRTUAL TABLE "cabinet_search_Notes.words" USING fts5(
                    words, tokenize = 'ascii', detail = none, columnsize = 0);
                INSERT INTO "cabinet_search_Notes.words" (rowid, words) VALUES \(values.joined(separator: ","));
                PRAGMA user_version = 8
                """)
        }
    }
}

import BackendTestSupport
import Cabinet
import CabinetSQLite
import CabinetTools
import Foundation
import Synchronization
import Testing

@testable import CabinetConformance

@Suite("The article about moving: its programs run")
struct CopySnippets {
    @Test func wholeStore() async throws {
        try await TestDirectory.with { directory in
            let backend = MemoryBackend()
            try await CopySamples.container(backend).privateDatabase.save(
                Record("Items", "a"))
            let lines = LineList()
            @Sendable func print(_ line: some CustomStringConvertible & Sendable) {
                lines.add("\(line)")
            }

            // snippet: store
            let old = try Container(
                identifier: "com.example.copies", backend: backend)
            let new = try Container(
                identifier: "com.example.copies",
                backend: SQLiteBackend(directory: directory))
            let report = try await old.copy(to: new) { progress in print(progress) }
            print(report)
            // end

            #expect(
                lines.all.last?.hasPrefix(
                    "the private database of _anna: 1 record, 0 zones, 0 assets")
                    == true)
            #expect(lines.all.count > 1)
            await new.close()
        }
    }

    @Test func databaseInUse() async throws {
        let (oldServer, newServer) = (MemoryBackend(), MemoryBackend())
        let database = try CopySamples.container(oldServer).privateDatabase
        try await database.save(Record("Items", "a"))
        let user = "_anna"
        func stopWriting(to user: String) {}
        func use(_ backend: any StorageBackend, for user: String) {}
        func resumeWriting(to user: String) {}

        // snippet: database
        let copy = DatabaseCopy(
            of: .private(owner: user), from: oldServer, to: newServer)
        // Copies everything, then the changes since, until few are left.
        while try await copy.catchUp().changeCount > 100 {}
        stopWriting(to: user)
        // Copies the last changes, and compares both databases.
        try await copy.finish()
        use(newServer, for: user)
        resumeWriting(to: user)
        // end

        #expect(
            try await CopySamples.container(newServer).privateDatabase.fetch("a")
                .recordType == "Items")
    }
}

/// Lines that a program prints.
private final class LineList: Sendable {
    private let lines = Mutex<[String]>([])

    var all: [String] { lines.withLock(\.self) }

    func add(_ line: String) { lines.withLock { $0.append(line) } }
}

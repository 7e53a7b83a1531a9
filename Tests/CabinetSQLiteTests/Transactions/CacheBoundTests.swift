import CSQLite
import Cabinet
import Foundation
import SQLSupport
import Testing

@testable import CabinetSQLite

/// The caches that "Caches" in CONTRIBUTING lists, each asked for more than it holds.
@Suite struct CacheBoundTests {
    private func withConnection(_ body: (Connection) throws -> Void) throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "cabinet-bound-\(UUID().uuidString)").path
        defer { for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) } }
        try body(Connection(path: path, creates: true, configuration: SQLiteConfiguration()))
    }

    @Test("A connection caches at most as many statements as its configuration says")
    func statements() throws {
        try withConnection { connection in
            for number in 0..<1000 { _ = try connection.statements.statement("SELECT \(number)") }
            #expect(connection.statements.count == SQLiteConfiguration().statementCacheLimit)
            #expect(connection.statements.preparations == 1000)
        }
    }

    @Test("A connection keeps the statements of a limited number of tables")
    func tables() async throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "cabinet-bound-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: directory) }
        let backend = SQLiteBackend(directory: directory)
        let count = TableStatements.tableLimit + 20
        try await backend.write(.public) { transaction in
            for number in 0..<count { try await transaction.add([], to: "Type\(number)") }
        }
        try await backend.write(.public) { transaction in
            let session = try #require(transaction as? SQLiteTransaction).session
            try session.use { connection in
                for id in connection.catalog.tablesByID.keys.sorted() {
                    _ = try connection.statements(for: connection.table(id))
                    #expect(connection.tableStatements.count <= TableStatements.tableLimit)
                }
                #expect(connection.catalog.tablesByID.count >= count)
            }
        }
        await backend.close()
    }

    @Test("A write transaction keeps a limited number of entries")
    func entries() async throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "cabinet-bound-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: directory) }
        let backend = SQLiteBackend(directory: directory)
        let keys = (0..<1000).map { StorageKey("entry/\($0)") }
        try await backend.write(.public) { transaction in
            let session = try #require(transaction as? SQLiteTransaction).session
            for start in stride(from: 0, to: keys.count, by: 100) {
                try await transaction.apply(keys[start..<start + 100].map { .setEntry($0, $0.text) })
                try session.use {
                    #expect($0.writeState.pendingEntries.count <= Connection.mostPendingEntries)
                    #expect($0.writeState.known.count <= KnownEntries.countLimit)
                }
            }
        }
        try await backend.write(.public) { transaction in
            let session = try #require(transaction as? SQLiteTransaction).session
            #expect(try await transaction.load(StorageKeys(entries: keys)).entries == keys.map(\.text))
            try session.use { #expect($0.writeState.known.count <= KnownEntries.countLimit) }
        }
        await backend.close()
    }

    @Test("A query remembers a limited number of the records that key paths lead to")
    func resolvedRecords() async throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "cabinet-bound-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: directory) }
        let backend = SQLiteBackend(directory: directory)
        try await backend.write(.public) { transaction in
            try await transaction.add([], to: "Items")
            let session = try #require(transaction as? SQLiteTransaction).session
            try session.use { connection in
                let resolver = RecordResolver {
                    try connection.records(for: $0, keys: nil)
                } counting: { _ in
                    0
                }
                for number in 0..<(RecordResolver.limit + 100) {
                    let found = try resolver.record(RecordID(recordName: "r\(number)"))
                    #expect(found == nil)
                }
                #expect(resolver.knownCount <= RecordResolver.limit)
            }
        }
        await backend.close()
    }

    @Test("A store of assets remembers a limited number of folders and databases")
    func assets() throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "cabinet-bound-\(UUID().uuidString)")
        let assets = AssetStore(directory: directory, access: .owner)
        for number in 0..<(2 * AssetStore.databaseLimit) {
            #expect(assets.isFirstUse(of: .private(owner: "\(number)")))
        }
        #expect(!assets.isFirstUse(of: .private(owner: "\(2 * AssetStore.databaseLimit - 1)")))
        #expect(assets.rememberedCounts.databases <= AssetStore.databaseLimit)
        for start in stride(from: 0, to: 2 * AssetStore.folderLimit, by: 256) {
            assets.remember(durableFolders: Set((start..<(start + 256)).map { "/folder/\($0)" }))
            #expect(assets.rememberedCounts.folders <= AssetStore.folderLimit)
        }
    }

    @Test("A value that a function keeps is replaced if it is of another type")
    func keptValues() throws {
        final class First {}
        final class Second { let text = "second" }
        try withConnection { connection in
            let status = sqlite3_create_function_v2(
                connection.handle.pointer, "keeps_two", 2, SQLITE_UTF8, nil,
                { context, count, values in
                    let arguments = SQLArguments(context: context, values: values, count: Int(count))
                    _ = arguments.kept(0) { First() }
                    let second = arguments.kept(0) { Second() }
                    let again = arguments.kept(0) { Second() }
                    SQLArguments.setResult(.text(second === again ? second.text : "another"), of: context)
                }, nil, nil, nil)
            #expect(status == SQLITE_OK)
            let statement = try connection.statements.statement(
                "SELECT keeps_two('a', value) FROM (SELECT 1 AS value UNION ALL SELECT 2)")
            var texts: [String?] = []
            while try statement.step() { texts.append(statement.string(0)) }
            #expect(texts == ["second", "second"])
        }
    }
}

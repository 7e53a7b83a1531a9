import Cabinet
import Foundation
import StorageTestSupport
import Testing

@testable import CabinetSQLite

/// A database's file that is a symbolic link.
@Suite struct LinkedFileTests {
    /// Returns a store whose public database is a link to a file.
    private func link(to path: String) throws -> Store {
        let store = Store()
        try FileManager.default.createDirectory(at: store.directory, withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(atPath: store.path, withDestinationPath: path)
        return store
    }

    @Test func theFilesBesideTheTargetAreUsed() async throws {
        let target = Store()
        try await target.insert([StoredRecord("a")])
        let store = try link(to: target.path)
        let path = try StoreFile.path(of: .public, in: store.directory.path)
        #expect(!AssetFile.isLink(path))
        #expect(FileStamp(of: path + "-wal") == FileStamp(of: target.path + "-wal"))
        #expect(try await store.record(RecordID(recordName: "a")) != nil)
        try await store.insert([StoredRecord("b")])
        #expect(try await target.record(RecordID(recordName: "b")) != nil)
        #expect(try StoreFile.names(in: store.directory.path) == ["public.sqlite"])
        await store.backend.close()
    }

    @Test func aLinkToNoFileIsReported() async throws {
        let target = Store()
        let store = try link(to: target.path)
        #expect(try await store.backend.databases() == [.public])
        let calls: [@Sendable () async throws -> Void] = [
            { _ = try await store.record(RecordID(recordName: "a")) },
            { try await store.insert([StoredRecord("a")]) },
            { _ = try await store.backend.issues(in: .public, limit: 1) },
            { try await store.backend.compact(.public) },
        ]
        for call in calls {
            await #expect {
                try await call()
            } throws: {
                CabinetError.Code.badContainer ~= $0 && "\($0)".contains(store.path)
            }
        }
        #expect(!target.exists)
        try await target.insert([StoredRecord("a")])
        #expect(try await store.record(RecordID(recordName: "a")) != nil)
        await store.backend.close()
    }
}

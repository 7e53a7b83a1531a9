import Cabinet
import Foundation
import StorageTestSupport
import Testing

@testable import CabinetSQLite

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Permissions of a store's files.
@Suite(.timeLimit(.minutes(15))) struct FileAccessTests {
    /// The permissions of everything in a folder, including the folder.
    private func modes(in folder: URL) throws -> [String: Int] {
        var modes: [String: Int] = [:]
        let names = FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String } ?? []
        for name in names + ["."] {
            // Background work may remove a file at the same time.
            guard let status = AssetFile.status(folder.appendingPathComponent(name).path) else { continue }
            modes[name] = Int(status.st_mode & 0o7777)
        }
        return modes
    }

    private func expect(_ folder: URL, _ access: FileAccess, sourceLocation: SourceLocation = #_sourceLocation) throws {
        for (name, mode) in try modes(in: folder) {
            let status = AssetFile.status(folder.appendingPathComponent(name).path)
            let isDatabase = name.contains(".sqlite") || name.hasSuffix(".lock")
            let expected =
                if status.map({ $0.st_mode & S_IFMT }) == S_IFDIR {
                    access.directoryPermissions
                } else {
                    // The bytes of assets are never changed.
                    isDatabase ? access.filePermissions : access.filePermissions & 0o444
                }
            #expect(mode == Int(expected), "\(name) has \(String(mode, radix: 8))", sourceLocation: sourceLocation)
        }
    }

    private func fill(_ backend: SQLiteBackend) async throws -> URL? {
        let container = try Container(identifier: "com.example.access", backend: backend)
        var record = Record(recordType: "Notes")
        record["file"] = Asset(data: Data("picture".utf8))
        let saved = try await container.privateDatabase.save(record)
        return (saved["file"] as? Asset)?.fileURL
    }

    @Test(arguments: [FileAccess.owner, .group])
    func filesAreForTheConfiguredUsers(_ access: FileAccess) async throws {
        let parent = FileManager.default.temporaryDirectory.appendingPathComponent("cabinet-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: parent) }
        let backend = SQLiteBackend(
            directory: parent.appendingPathComponent("a/store"), configuration: SQLiteConfiguration(access: access))
        let file = try #require(try await fill(backend))
        let modes = try modes(in: parent)
        try expect(parent, access)
        for suffix in [".sqlite", ".sqlite-wal", ".sqlite-shm", ".lock"] {
            #expect(modes.keys.contains { $0.hasSuffix(suffix) }, "\(suffix)")
        }
        #expect(modes["a/store"] == Int(access.directoryPermissions))
        #expect(AssetFile.status(file.path).map { Int($0.st_mode & 0o777) } == Int(access.filePermissions & 0o444))
        await backend.close()
        try expect(parent, access)
    }

    @Test(arguments: [0, 0o22, 0o77, 0o177])
    func theUmaskDoesNotMatter(mask: Int) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("cabinet-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let saving = try SavingProcess([folder.path, "p", "forever"], mask: mask)
        #expect(!saving.availableOutput().isEmpty)
        saving.kill()
        #expect(saving.finish().errors.isEmpty)
        let pictures = try SavingProcess([folder.path, "assets", "pictures-a"], mask: mask)
        #expect(!pictures.availableOutput().isEmpty)
        pictures.kill()
        #expect(pictures.finish().errors.isEmpty)
        let modes = try modes(in: folder)
        #expect(modes.keys.contains { $0.hasSuffix(".sqlite-wal") })
        #expect(modes.keys.contains { $0.hasSuffix(".lock") })
        for (name, mode) in modes {
            #expect(mode & 0o077 == 0, "\(name) has \(String(mode, radix: 8))")
            #expect(mode & 0o400 == 0o400, "\(name) has \(String(mode, radix: 8))")
        }
    }

    @Test func anExistingStoreKeepsItsPermissions() async throws {
        let store = Store()
        try await store.create()
        await store.backend.close()
        #expect(chmod(store.directory.path, 0o750) == 0)
        #expect(chmod(store.path, 0o640) == 0)
        let reopened = Store(in: store.directory)
        try await reopened.create()
        let asset = try StoredAsset(1, size: 1)
        try await reopened.add(asset, of: Data([1]))
        let modes = try modes(in: store.directory)
        #expect(modes["."] == 0o750)
        // SQLite gives its other files the permissions of the database.
        for suffix in ["", "-wal", "-shm"] { #expect(modes["public.sqlite\(suffix)"] == 0o640) }
        #expect(modes["assets"] == 0o700)
        await reopened.backend.close()
    }

    @Test func aFileThatAnotherProcessCreatesConcurrentlyIsUsed() async throws {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent("cabinet-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: directory) }
        let stores = (0..<8).map { _ in SQLiteBackend(directory: directory) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (index, backend) in stores.enumerated() {
                group.addTask {
                    let container = try Container(identifier: "com.example.access", backend: backend)
                    try await container.privateDatabase.save(
                        Record(recordType: "Notes", recordID: RecordID(recordName: "r\(index)")))
                }
            }
            try await group.waitForAll()
        }
        let container = try Container(identifier: "com.example.access", backend: stores[0])
        #expect(try await container.privateDatabase.count(matching: Query(recordType: "Notes")) == 8)
        for backend in stores { await backend.close() }
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == ["private-_default_user.sqlite"])
    }
}

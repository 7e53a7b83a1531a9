import Cabinet
import CabinetSQLite
import Foundation
import StorageTestSupport
import Testing

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A store that a process may read, and not write.
@Suite(.timeLimit(.minutes(15))) final class ReadOnlyStoreTests {
    /// The files beside the database's file that exist when it is read.
    enum Files: String, CaseIterable, Sendable {
        /// The store was closed.
        case closed
        /// A program uses the store.
        case open
        /// The store was copied without the index of its log.
        case log
    }

    /// The reason for which the store cannot be written.
    enum Reason: String, CaseIterable, Sendable {
        case directory, file, both, disk
    }

    private let parent = FileManager.default.temporaryDirectory.appendingPathComponent("cabinet-\(UUID().uuidString)")
    /// A name whose characters mean something in a URI.
    private var directory: URL { parent.appendingPathComponent("a b?c#d%41&e") }
    private var file: URL { directory.appendingPathComponent("private-_default_user.sqlite") }
    private var writer: SQLiteBackend?

    /// The system's administrator may write everything, so another user has to try.
    private var user: Int? { geteuid() == 0 ? 65534 : nil }

    deinit {
        for path in [directory, file] { chmod(path.path, 0o755) }
        try? FileManager.default.removeItem(at: parent)
    }

    private func setPermissions(_ permissions: Int, of url: URL) throws {
        try FileManager.default.setAttributes([.posixPermissions: permissions], ofItemAtPath: url.path)
    }

    private func database(_ backend: SQLiteBackend) throws -> Database {
        try Container(identifier: "org.cabinet.saving-process", backend: backend).privateDatabase
    }

    /// Makes everything readable for every user, and nothing else.
    private func permitReading(_ reason: Reason) throws {
        let names = FileManager.default.enumerator(atPath: directory.path)?.compactMap { $0 as? String } ?? []
        for name in names {
            let url = directory.appendingPathComponent(name)
            let isDirectory = try url.resourceValues(forKeys: [.isDirectoryKey]).isDirectory == true
            try setPermissions(isDirectory ? 0o755 : 0o644, of: url)
        }
        let isFileWritable = reason == .directory || reason == .disk
        try setPermissions(isFileWritable ? 0o666 : 0o444, of: file)
        try setPermissions(reason == .file || reason == .disk ? 0o777 : 0o555, of: directory)
        try setPermissions(0o755, of: parent)
    }

    /// Creates a store with three records.
    private func create(_ files: Files, _ reason: Reason) async throws {
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        let backend = SQLiteBackend(directory: directory)
        let database = try database(backend)
        for number in 0..<3 {
            var record = Record(recordType: "Items", recordID: RecordID(recordName: "r\(number)"))
            record["number"] = number
            if number == 0 { record["file"] = Asset(data: Data("bytes".utf8)) }
            try await database.save(record)
        }
        if files == .closed {
            await backend.close()
        } else {
            writer = backend
        }
        if files == .log {
            let copy = parent.appendingPathComponent("copy")
            try FileManager.default.copyItem(at: directory, to: copy)
            await backend.close()
            try FileManager.default.removeItem(at: directory)
            try FileManager.default.removeItem(atPath: copy.path + "/" + file.lastPathComponent + "-shm")
            try FileManager.default.moveItem(at: copy, to: directory)
        }
        try permitReading(reason)
    }

    private func read(_ step: String, _ reason: Reason) throws -> SavingProcess {
        // The administrator may write to a directory, but not to a read-only disk.
        reason == .disk
            ? try SavingProcess([directory.path, "read", step], readOnly: directory)
            : try SavingProcess([directory.path, "read", step], as: user)
    }

    private func checkReads(_ files: Files, _ reason: Reason) async throws {
        try await create(files, reason)
        let before = try Set(FileManager.default.contentsOfDirectory(atPath: directory.path))
        let (output, errors, status) = try read("all", reason).finish()
        #expect(status == 0, "\(errors)")
        let lines = String(decoding: output, as: UTF8.self).split(separator: "\n").map(String.init)
        try #require(lines.count == 5, "\(lines) \(errors)")
        #expect(lines.prefix(4) == ["query r0 r1 r2", "count 3", "changes 3", "asset bytes"])
        // With the log of another program, SQLite itself finds that it may not write.
        let end = files == .open && reason == .directory ? "cannot be written" : "can only be read"
        #expect(lines[4].hasPrefix("error permissionFailure: The store's file \(file.path) \(end)"), "\(lines)")
        #expect(try Set(FileManager.default.contentsOfDirectory(atPath: directory.path)) == before)
        await writer?.close()
    }

    @Test(arguments: Files.allCases, [Reason.directory, .file, .both])
    func everythingCanBeReadWithoutPermissionToWrite(_ files: Files, _ reason: Reason) async throws {
        try await checkReads(files, reason)
    }

    @Test(
        .enabled(if: SavingProcess.canMount, "Only an administrator of Linux can mount a read-only disk."),
        arguments: Files.allCases)
    func everythingCanBeReadOnAReadOnlyDisk(_ files: Files) async throws {
        try await checkReads(files, .disk)
    }

    @Test(arguments: Files.allCases)
    func aLinkedFileIsReadWithItsLog(_ files: Files) async throws {
        try await create(files, .both)
        let links = parent.appendingPathComponent("links")
        try FileManager.default.createDirectory(at: links, withIntermediateDirectories: false)
        try setPermissions(0o755, of: links)
        for name in [file.lastPathComponent, "assets"] {
            try FileManager.default.createSymbolicLink(
                at: links.appendingPathComponent(name), withDestinationURL: directory.appendingPathComponent(name))
        }
        let (output, errors, status) = try SavingProcess([links.path, "read", "all"], as: user).finish()
        #expect(status == 0, "\(errors)")
        let lines = String(decoding: output, as: UTF8.self).split(separator: "\n").map(String.init)
        #expect(lines.prefix(4) == ["query r0 r1 r2", "count 3", "changes 3", "asset bytes"], "\(lines)")
        await writer?.close()
    }

    @Test(arguments: Files.allCases)
    func aLiveQuerySeesTheChangesOfOthers(_ files: Files) async throws {
        try await create(files, .both)
        let reading = try read("live", .both)
        #expect(reading.availableOutput() == Data("3\n".utf8))
        if user == nil { try setPermissions(0o755, of: directory) }
        if user == nil { try setPermissions(0o644, of: file) }
        let backend = writer.flatMap { files == .open ? $0 : nil } ?? SQLiteBackend(directory: directory)
        _ = try await database(backend).save(Record(recordType: "Items"))
        #expect(reading.availableOutput() == Data("4\n".utf8))
        await backend.close()
        let other = SQLiteBackend(directory: directory)
        _ = try await database(other).save(Record(recordType: "Items"))
        #expect(reading.availableOutput() == Data("5\n".utf8))
        reading.kill()
        #expect(reading.finish().errors.isEmpty)
        await other.close()
    }

    /// A writer does not notice a reader without locks, so the reader must notice the writer.
    @Test(arguments: [Files.closed, .log])
    func aReadFailsIfTheFileChangesMeanwhile(_ files: Files) async throws {
        try await create(files, .both)
        let gate = parent.appendingPathComponent("gate")
        let reading = try read(gate.path, .both)
        #expect(reading.availableOutput() == Data("reading\n".utf8))
        if user == nil { try setPermissions(0o755, of: directory) }
        if user == nil { try setPermissions(0o644, of: file) }
        let backend = SQLiteBackend(directory: directory)
        _ = try await database(backend).save(Record(recordType: "Items"))
        try Data().write(to: gate)
        let (_, errors, status) = reading.finish()
        #expect(status == 1)
        #expect(errors.hasPrefix("zoneBusy: "), "\(errors)")
        await backend.close()
    }
}

import CabinetTesting
import Foundation
import Testing

@testable import Cabinet

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The folders of fetched assets' files.
@Suite(.timeLimit(.minutes(15))) struct FetchedFilesTests {
    private let folder = FileManager.default.temporaryDirectory.appendingPathComponent("cabinet-\(UUID().uuidString)")
    private let bytes = Data("picture".utf8)

    private var parent: URL { folder.appendingPathComponent("files") }

    /// Saves assets in memory, each in a record.
    private func savedAssets(
        _ contents: [Data]
    ) async throws -> (client: ServiceClient, assets: [(id: RecordID, asset: StoredAsset)]) {
        let container = try Container(identifier: "com.example.test", backend: MemoryBackend())
        var assets: [(id: RecordID, asset: StoredAsset)] = []
        for bytes in contents {
            var record = Record(recordType: "Photo")
            record["picture"] = Asset(data: bytes)
            record = try await container.privateDatabase.save(record)
            assets.append((record.recordID, try #require(record.fields.storedAssets.first)))
        }
        return (container.client, assets)
    }

    /// Saves an asset in memory, and fetches its file into the folder.
    private func fetchedFile(of files: AssetFiles) async throws -> AssetFiles.File {
        let (client, assets) = try await savedAssets([bytes])
        let saved = try #require(assets.first)
        return try await files.file(of: saved.asset, of: saved.id, in: .private, from: client)
    }

    @Test("A file is in a folder to which only this user may write")
    func ownFolder() async throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = try await fetchedFile(of: AssetFiles(in: parent))
        #expect(try Data(contentsOf: file.url) == bytes)
        let attributes = try FileManager.default.attributesOfItem(atPath: parent.path)
        #expect(attributes[.posixPermissions] as? Int == 0o700)
    }

    @Test("A folder that others could write to, or that is a link to one, is refused", arguments: [true, false])
    func foreignFolder(isLink: Bool) async throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        if isLink {
            let target = folder.appendingPathComponent("target")
            try FileManager.default.createDirectory(at: target, withIntermediateDirectories: true)
            try FileManager.default.createSymbolicLink(at: parent, withDestinationURL: target)
        } else {
            #expect(mkdir(parent.path, 0o700) == 0)
            #expect(chmod(parent.path, 0o777) == 0)
        }
        await #expect(throws: CabinetError.self) { try await fetchedFile(of: AssetFiles(in: parent)) }
        let error = await #expect(throws: CabinetError.self) { try await fetchedFile(of: AssetFiles(in: parent)) }
        #expect(error?.code == .permissionFailure)
    }

    @Test("A folder below one that does not exist is named")
    func missingFolder() async throws {
        let error = await #expect(throws: CabinetError.self) { try await fetchedFile(of: AssetFiles(in: parent)) }
        #expect(error?.message.contains(parent.path) == true)
    }

    @Test("A file that the program has moved or changed is created again")
    func movedFile() async throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let (files, (client, assets)) = (AssetFiles(in: parent), try await savedAssets([bytes]))
        let saved = try #require(assets.first)
        func fetch() async throws -> AssetFiles.File {
            try await files.file(of: saved.asset, of: saved.id, in: .private, from: client)
        }
        let first = try await fetch()
        #expect(try await fetch().url == first.url)
        try FileManager.default.moveItem(at: first.url, to: folder.appendingPathComponent("moved"))
        let second = try await fetch()
        #expect(try Data(contentsOf: second.url) == bytes)
        try Data("longer than the picture".utf8).write(to: second.url)
        let third = try await fetch()
        #expect(try Data(contentsOf: third.url) == bytes)
        #expect(Set([first.url, second.url, third.url]).count == 3)
    }

    @Test("A cancelled caller does not wait for the bytes, and the others get the file")
    func cancellation() async throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let (files, (saving, assets)) = (AssetFiles(in: parent), try await savedAssets([bytes]))
        let saved = try #require(assets.first)
        let service = SlowService(base: saving.service)
        let client = ServiceClient(containerIdentifier: "com.example.test", service: service, caller: saving.caller)
        @Sendable func fetch() async throws -> AssetFiles.File {
            try await files.file(of: saved.asset, of: saved.id, in: .private, from: client)
        }
        let others = await service.gate.withLock {
            let tasks = (0..<3).map { _ in Task { try await fetch() } }
            while service.gate.waiterCount == 0 { await Task.yield() }
            tasks[0].cancel()
            await #expect(throws: CabinetError(.operationCancelled)) { try await tasks[0].value }
            return tasks.dropFirst()
        }
        for task in others { #expect(try await Data(contentsOf: task.value.url) == bytes) }
    }

    @Test("Bytes may come in short parts, and an empty or too long one gives no file", arguments: [-1, 1, 7, 8])
    func parts(_ count: Int) async throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let (files, (saving, assets)) = (AssetFiles(in: parent), try await savedAssets([bytes]))
        let saved = try #require(assets.first)
        let client = ServiceClient(
            containerIdentifier: "com.example.test", service: UnevenService(base: saving.service, count: count),
            caller: saving.caller)
        let file = try? await files.file(of: saved.asset, of: saved.id, in: .private, from: client)
        #expect(try file.map { try Data(contentsOf: $0.url) } == ([1, 7].contains(count) ? bytes : nil))
    }

    @Test("The oldest files are removed, unless an asset still has them")
    func limit() async throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let files = AssetFiles(in: parent, maximumCount: 2)
        let (client, assets) = try await savedAssets((0..<5).map { Data("picture \($0)".utf8) })
        var urls: [URL] = []
        var held: [AssetFiles.File] = []
        for (index, saved) in assets.enumerated() {
            let file = try await files.file(of: saved.asset, of: saved.id, in: .private, from: client)
            urls.append(file.url)
            if index == 0 { held.append(file) }
        }
        func exist() -> [Bool] { urls.map { FileManager.default.fileExists(atPath: $0.path) } }
        while exist()[1] || exist()[2] { await Task.yield() }
        #expect(exist() == [true, false, false, true, true])
        held = []
        while exist()[0] { await Task.yield() }
        let again = try await files.file(of: assets[0].asset, of: assets[0].id, in: .private, from: client)
        #expect(try Data(contentsOf: again.url) == Data("picture 0".utf8))
    }
}

/// A service whose bytes arrive when a gate is open.
private struct SlowService: WrappingService {
    let base: any DatabaseService
    let gate = AsyncLock()

    func perform<Request: ServiceRequest>(_ request: Request, for caller: Caller) async throws -> Request.Response {
        try await base.perform(request, for: caller)
    }

    func bytes(
        of asset: StoredAsset, of recordID: RecordID, in range: Range<Int64>, scope: DatabaseScope, for caller: Caller
    ) async throws -> Data {
        await gate.withLock {}
        return try await base.bytes(of: asset, of: recordID, in: range, scope: scope, for: caller)
    }
}

/// A service that returns another number of bytes than those of the range; none for a negative number.
private struct UnevenService: WrappingService {
    let base: any DatabaseService
    let count: Int

    func perform<Request: ServiceRequest>(_ request: Request, for caller: Caller) async throws -> Request.Response {
        try await base.perform(request, for: caller)
    }

    func bytes(
        of asset: StoredAsset, of recordID: RecordID, in range: Range<Int64>, scope: DatabaseScope, for caller: Caller
    ) async throws -> Data {
        let bytes = try await base.bytes(of: asset, of: recordID, in: range, scope: scope, for: caller)
        return count > range.count ? bytes + Data(count: 1) : bytes.prefix(max(count, 0))
    }
}

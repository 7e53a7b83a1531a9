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

    /// Saves an asset in memory, and fetches its file into the folder.
    private func fetchedFile(of files: AssetFiles) async throws -> AssetFiles.File {
        let container = try Container(identifier: "com.example.test", backend: MemoryBackend())
        var record = Record(recordType: "Photo")
        record["picture"] = Asset(data: bytes)
        record = try await container.privateDatabase.save(record)
        let asset = try #require(record.fields.storedAssets.first)
        return try await files.file(of: asset, of: record.recordID, in: .private, from: container.client)
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
}

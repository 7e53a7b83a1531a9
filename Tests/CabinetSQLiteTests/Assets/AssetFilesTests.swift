import Cabinet
import Foundation
import Testing

@testable import CabinetSQLite

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// File systems with missing features, and folders that were tampered with.
@Suite(.timeLimit(.minutes(15))) struct AssetFilesTests {
    private static let bytes = Data((0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 / 7) })
    private let bytes = Self.bytes

    /// A folder on another disk than that of temporary files, if this machine has one.
    private static let otherDisk: URL? = {
        let folder = "/dev/shm"
        guard let own = AssetFile.status(FileManager.default.temporaryDirectory.path),
            let other = AssetFile.status(folder), other.st_dev != own.st_dev, access(folder, W_OK) == 0
        else { return nil }
        return URL(fileURLWithPath: folder)
    }()

    @Test(.enabled(if: otherDisk != nil)) func withoutSecondNamesBytesAreCopied() async throws {
        let store = Store()
        let folder = try #require(Self.otherDisk).appendingPathComponent("cabinet-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try FileManager.default.createDirectory(at: store.assetFolder, withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(
            at: store.assetFolder.appendingPathComponent("sessions"), withDestinationURL: folder)
        let asset = try StoredAsset(1, size: bytes.count)
        try await store.add(asset, of: bytes, to: ["r"])
        #expect(try Data(contentsOf: store.file(asset)) == bytes)
        #expect(store.assetFiles() == ["public/01/\(asset.checksum)"])
        let file = try #require(try await store.files([asset])[0])
        #expect(try Data(contentsOf: file) == bytes)
        #expect(try #require(AssetFile.status(file.path)).st_mode & 0o222 == 0)
        try await store.remove(["r"], having: [asset])
        try await store.backend.removeAbandonedAssets(from: .public)
        #expect(store.assetFiles().isEmpty)
        #expect(try Data(contentsOf: file) == bytes)
        await store.backend.close()
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
    }

    @Test func aFileWithTooManyNamesIsStoredAgain() async throws {
        let store = Store()
        let asset = try StoredAsset(1, size: 3)
        try await store.add(asset, of: Data("abc".utf8), in: .private(owner: "first"))
        let pool = store.file(asset, in: "pool")
        let folder = store.directory.appendingPathComponent("names")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        var number = 0
        // Some file systems allow very many links.
        while number < 66_000, AssetFile.link(pool.path, to: folder.path + "/\(number)") == 0 { number += 1 }
        guard number < 66_000 else { return }
        let kept = try await store.files([asset], in: .private(owner: "first"))[0]
        #expect(try Data(contentsOf: #require(kept)) == Data("abc".utf8))
        let before = try identity(pool).number
        try await store.add(asset, of: Data("abc".utf8))
        let after = try identity(pool)
        #expect(after.number != before)
        #expect(try after == identity(store.file(asset)))
        try await store.add(asset, of: Data("abc".utf8), in: .private(owner: "third"))
        #expect(try identity(pool).links == 3)
    }

    @Test func plantedLinksAreNotFollowed() async throws {
        let store = Store()
        let asset = try StoredAsset(1, size: bytes.count)
        let outside = store.directory.appendingPathComponent("outside")
        let folder = store.file(asset).deletingLastPathComponent()
        let pool = store.file(asset, in: "pool")
        for parent in [folder, pool.deletingLastPathComponent()] {
            try FileManager.default.createDirectory(at: parent, withIntermediateDirectories: true)
        }
        try Data(repeating: 9, count: bytes.count).write(to: outside)
        for link in [store.file(asset), pool] {
            try FileManager.default.createSymbolicLink(at: link, withDestinationURL: outside)
        }
        try await store.add(asset, of: bytes, to: ["r"])
        #expect(try Data(contentsOf: store.file(asset)) == bytes)
        #expect(AssetFile.has(store.file(asset).path, size: asset.size))
        #expect(try Data(contentsOf: outside) == Data(repeating: 9, count: bytes.count))
        // A link instead of the file counts as a missing file.
        try FileManager.default.removeItem(at: store.file(asset))
        try FileManager.default.createSymbolicLink(at: store.file(asset), withDestinationURL: outside)
        #expect(try await store.files([asset]) == [nil])
        #expect(try await store.backend.read(.public) { try await $0.bytes(of: asset.checksum, in: 0..<1) } == nil)
        // A link instead of a folder is refused.
        try FileManager.default.removeItem(at: folder)
        try FileManager.default.createSymbolicLink(at: folder, withDestinationURL: store.directory)
        let error = await #expect(throws: CabinetError.self) { try await store.add(asset, of: bytes) }
        #expect(error?.code == .badContainer)
    }

    @Test func theCallersFileIsNeverLinked() async throws {
        let store = Store()
        let asset = try StoredAsset(1, size: bytes.count)
        try FileManager.default.createDirectory(at: store.directory, withIntermediateDirectories: true)
        // Even if its name is one of the store's.
        let own = store.directory.appendingPathComponent("\(asset.checksum)")
        try bytes.write(to: own)
        for _ in 0..<2 {
            let upload = try await store.backend.beginUpload(to: .public)
            if let clone = try await upload.clone(own) {
                #expect(try Data(contentsOf: clone) == bytes)
            } else {
                try await upload.append(bytes)
            }
            try await upload.finish()
            try await store.backend.write(.public) { try await $0.add(asset, uploadedAs: upload.id) }
            await upload.end()
            #expect(try identity(own).links == 1)
        }
        // A file that the store has returned is never changed.
        let given = try #require(try await store.files([asset])[0])
        let upload = try await store.backend.beginUpload(to: .private(owner: "a"))
        let clone = try #require(try await upload.clone(given))
        #expect(try identity(clone) == (4, identity(given).number))
        try await upload.finish()
        try await store.backend.write(.private(owner: "a")) { try await $0.add(asset, uploadedAs: upload.id) }
        await upload.end()
        #expect(try identity(given).links == 4)
        // Nothing is cloned from a path that is not a file.
        let other = try await store.backend.beginUpload(to: .public)
        #expect(try await other.clone(store.directory) == nil)
        #expect(try await other.clone(store.directory.appendingPathComponent("missing")) == nil)
        await other.end()
    }

    @Test func unusedFilesAreRemoved() async throws {
        let first = Store()
        defer { withExtendedLifetime(first) {} }
        let kept = try StoredAsset(1, size: 1)
        try await first.add(kept, of: Data([1]), to: ["r"])
        await first.backend.close()
        let store = Store(in: first.directory)
        for number in 2..<300 {
            let orphan = try StoredAsset(number << 40 | number, size: 1)
            for folder in number < 10 ? ["pool"] : ["public"] {
                let file = store.file(orphan, in: folder)
                try FileManager.default.createDirectory(
                    at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
                try Data([1]).write(to: file)
            }
        }
        let folder = store.file(kept).deletingLastPathComponent()
        try Data().write(to: folder.appendingPathComponent("." + UUID().uuidString))
        try Data().write(to: folder.appendingPathComponent("notes.txt"))
        #expect(try await store.backend.removeAbandonedAssets(from: .public) == 290 + 8 + 1)
        #expect(
            store.assetFiles().filter { !$0.hasPrefix("sessions") } == [
                "pool/01/\(kept.checksum)", "public/01/\(kept.checksum)", "public/01/notes.txt",
            ])
        #expect(try await store.backend.removeAbandonedAssets(from: .private(owner: "nobody")) == 0)
        #expect(try await Store().backend.removeAbandonedAssets(from: .public) == 0)
    }

    @Test func theNextProcessRemovesLeftovers() async throws {
        let store = Store()
        let orphan = try StoredAsset(2, size: 1)
        try await store.add(StoredAsset(1, size: 1), of: Data([1]), to: ["r"])
        try FileManager.default.createDirectory(
            at: store.file(orphan).deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data([1]).write(to: store.file(orphan))
        await store.backend.close()
        let next = Store(in: store.directory)
        defer { withExtendedLifetime(store) {} }
        let upload = try await next.upload(Data([3]))
        #expect(try await next.eventually { next.assetFiles().filter { $0.contains("\(orphan.checksum)") }.isEmpty })
        await upload.end()
    }
}

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

/// The assets of one process.
@Suite(.timeLimit(.minutes(15))) struct AssetStoreTests {
    private static let bytes = Data((0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
    private let bytes = Self.bytes

    @Test func addedAssetsAreFoundAndRead() async throws {
        let store = Store()
        let assets = try (1...5).map { try StoredAsset($0, size: bytes.count + $0) }
        for (index, asset) in assets.enumerated() {
            try await store.add(asset, of: bytes + Data(repeating: 7, count: index + 1))
        }
        let empty = try StoredAsset(0, size: 0)
        try await store.add(empty, of: Data())
        let unknown = try StoredAsset(9, size: 1)
        try await store.backend.read(.public) { [bytes] snapshot async throws in
            #expect(try await snapshot.assets(after: nil, limit: 3) == [empty] + assets.prefix(2))
            #expect(try await snapshot.assets(after: assets[1].checksum, limit: 10) == Array(assets[2...]))
            #expect(
                try await snapshot.assets(for: [unknown.checksum, assets[3].checksum, empty.checksum])
                    == [nil, assets[3], empty])
            #expect(try await snapshot.bytes(of: assets[1].checksum, in: 0..<Int64(bytes.count + 2)) == bytes + [7, 7])
            #expect(try await snapshot.bytes(of: assets[0].checksum, in: 500..<700) == bytes[500..<700])
            #expect(try await snapshot.bytes(of: empty.checksum, in: 0..<0) == Data())
            #expect(try await snapshot.bytes(of: unknown.checksum, in: 0..<1) == nil)
            // More than the file has, as if it had been truncated.
            #expect(try await snapshot.bytes(of: assets[0].checksum, in: 0..<Int64(bytes.count + 2)) == nil)
        }
        try FileManager.default.removeItem(at: store.file(assets[2]))
        try await store.backend.read(.public) { snapshot async throws in
            #expect(try await snapshot.bytes(of: assets[2].checksum, in: 0..<1) == nil)
        }
        #expect(try await store.files([assets[2], assets[1]]).map { $0 == nil } == [true, false])
        // Lost bytes are restored when they are saved again.
        try await store.add(assets[2], of: bytes + [7, 7, 7])
        let file = try #require(try await store.files([assets[2]])[0])
        #expect(try Data(contentsOf: file) == bytes + [7, 7, 7])
        #expect(store.assetFiles().filter { !$0.hasPrefix("sessions") }.count == 12)
    }

    @Test func nothingIsVisibleBeforeTheCommit() async throws {
        let store = Store()
        let asset = try StoredAsset(1, size: bytes.count)
        let upload = try await store.upload(bytes)
        struct Failure: Error {}
        await #expect(throws: Failure.self) {
            try await store.backend.write(.public) { transaction in
                try await transaction.add(asset, uploadedAs: upload.id)
                #expect(try await transaction.assets(for: [asset.checksum]) == [asset])
                #expect(try await transaction.bytes(of: asset.checksum, in: 0..<3)?.count == 3)
                throw Failure()
            }
        }
        #expect(try await store.backend.read(.public) { try await $0.assets(after: nil, limit: 1) }.isEmpty)
        // The upload can be used for a second attempt, and leftovers of the first one do not matter.
        try? FileManager.default.removeItem(at: store.file(asset))
        try Data("damaged".utf8).write(to: store.file(asset))
        try await store.backend.write(.public) { try await $0.add(asset, uploadedAs: upload.id) }
        await upload.end()
        await upload.end()
        #expect(try Data(contentsOf: store.file(asset)) == bytes)
        #expect(store.assetFiles().filter { $0.hasPrefix("sessions") && !$0.hasSuffix(".lock") }.isEmpty)
        let error = await #expect(throws: CabinetError.self) {
            try await store.backend.write(.public) { try await $0.add(StoredAsset(2, size: 1), uploadedAs: upload.id) }
        }
        #expect(error?.code == .invalidArguments)
    }

    @Test func anUploadThatIsNotCompleteIsRefused() async throws {
        let store = Store()
        let upload = try await store.upload(bytes)
        let other = try await store.upload(bytes, to: .private(owner: "a"))
        for (id, size) in [(upload.id, bytes.count + 1), (other.id, bytes.count)] {
            await #expect(throws: CabinetError.self) {
                try await store.backend.write(.public) { try await $0.add(StoredAsset(1, size: size), uploadedAs: id) }
            }
        }
        await #expect(throws: CabinetError.self) { try await upload.append(bytes) }
        await #expect(throws: CabinetError.self) { try await upload.clone(store.file(StoredAsset(1, size: 1))) }
    }

    @Test func tenThousandRecordsShareOneFile() async throws {
        let store = Store()
        let asset = try StoredAsset(1, size: bytes.count)
        let names = (0..<10_000).map { "r\($0)" }
        for start in stride(from: 0, to: names.count, by: 1000) {
            try await store.add(asset, of: bytes, to: Array(names[start..<start + 1000]))
        }
        let own = try identity(store.file(asset))
        #expect(try own == identity(store.file(asset, in: "pool")))
        #expect(own.links == 2)
        #expect(store.assetFiles().filter { !$0.hasPrefix("sessions") }.count == 2)
        try await store.remove(Array(names.dropLast()), having: [asset])
        #expect(try await store.backend.removeAbandonedAssets(from: .public) == 0)
        #expect(try Data(contentsOf: store.file(asset)) == bytes)
        try await store.remove([names[9999]], having: [asset])
        #expect(try await store.backend.read(.public) { try await $0.assets(for: [asset.checksum]) } == [nil])
        #expect(try await store.eventually { store.assetFiles().filter { !$0.hasSuffix(".lock") }.isEmpty })
        #expect(try await store.eventually { try store.sql("SELECT * FROM cabinet_abandoned_asset").isEmpty })
    }

    @Test func databasesShareBytesAndNothingElse() async throws {
        let store = Store()
        let asset = try StoredAsset(1, size: bytes.count)
        let users: [DatabaseKey] = [.public, .private(owner: "_anna"), .private(owner: "_Ben"), .shared(owner: "c/d")]
        for user in users { try await store.add(asset, of: bytes, to: ["r"], in: user) }
        #expect(
            Set(store.assetFiles().compactMap { $0.split(separator: "/").first }) == [
                "pool", "public", "private-_anna", "private-_%42en", "shared-c%2fd", "sessions",
            ])
        #expect(try identity(store.file(asset)).links == 5)
        for user in users.dropLast() {
            try await store.remove(["r"], having: [asset], in: user)
            try await store.backend.removeAbandonedAssets(from: user)
        }
        #expect(try identity(store.file(asset, in: "pool")).links == 2)
        #expect(try await store.files([asset]) == [nil])
        let file = try #require(try await store.files([asset], in: users[3])[0])
        #expect(try Data(contentsOf: file) == bytes)
        #expect(try await Set(store.backend.databases()) == Set(users))
        try Data().write(to: store.directory.appendingPathComponent("private-_Ben.sqlite"))
        try Data().write(to: store.directory.appendingPathComponent("other.sqlite"))
        #expect(try await store.backend.databases().count == 4)
        #expect(try await Store().backend.databases().isEmpty)
    }

    @Test func aReadersFileStaysUntilTheBackendIsClosed() async throws {
        let store = Store()
        let asset = try StoredAsset(1, size: bytes.count)
        try await store.add(asset, of: bytes, to: ["r"])
        let file = try #require(try await store.files([asset])[0])
        #expect(try await store.files([asset]) == [file])
        #expect(try identity(file) == (3, identity(store.file(asset)).number))
        #expect(try #require(AssetFile.status(file.path)).st_mode & 0o222 == 0)
        try await store.remove(["r"], having: [asset])
        #expect(try await store.eventually { !FileManager.default.fileExists(atPath: store.file(asset).path) })
        #expect(try await store.files([asset]) == [nil])
        #expect(try Data(contentsOf: file) == bytes)
        #expect(try await store.backend.removeAbandonedAssets(from: .public) == 0)
        await store.backend.close()
        #expect(store.assetFiles().isEmpty)
        let error = await #expect(throws: CabinetError.self) { try await store.backend.beginUpload(to: .public) }
        #expect(error?.code == .serviceUnavailable)
    }

    /// A reader of a state in which the asset exists gets its file, even after a long time.
    @Test func aReaderKeepsWhatItHasFound() async throws {
        let store = Store()
        let asset = try StoredAsset(1, size: bytes.count)
        try await store.add(asset, of: bytes, to: ["r"])
        let kept = try await store.backend.read(.public) { [bytes] snapshot async throws in
            #expect(try await snapshot.assets(for: [asset.checksum]) == [asset])
            try await store.remove(["r"], having: [asset])
            // Others read and write at the same time.
            for number in 0..<20 {
                try await store.insert([StoredRecord("other-\(number)")])
                try await Task.sleep(for: .milliseconds(10))
            }
            #expect(try await store.backend.removeAbandonedAssets(from: .public) == 0)
            #expect(try await snapshot.bytes(of: asset.checksum, in: 0..<Int64(bytes.count)) == bytes)
            return try await store.backend.files(of: [asset], in: .public)?[0]
        }
        #expect(try Data(contentsOf: #require(kept)) == bytes)
        #expect(try await store.eventually { !FileManager.default.fileExists(atPath: store.file(asset).path) })
    }

    /// The garbage collector relies on this: the log is checkpointed up to the oldest reader's state, and any
    /// connection knows how far that is.
    @Test func theLogShowsWhetherAReaderExists() async throws {
        let store = Store()
        try await store.insert([StoredRecord("a")])
        let folder = try store.backend.assets.folder(of: .public)
        @Sendable func log() throws -> CheckpointState {
            let reader = PooledConnection(
                path: store.path, OpenedFile(path: store.path), number: 9, configuration: SQLiteConfiguration(),
                schemaCache: SchemaCache(), assets: folder)
            return try #require(try reader.checkpoint())
        }
        let before = try log()
        #expect(before.size > 0 && before.moved == before.size)
        try await store.backend.read(.public) { snapshot in
            _ = try await snapshot.schema()
            try await store.insert([StoredRecord("b")])
            for _ in 0..<2 {
                let current = try log()
                #expect(current.moved < current.size)
            }
        }
        let after = try log()
        #expect(after.moved == after.size)
    }

    /// Damaged bytes are replaced when the asset is removed and added again in one transaction.
    @Test func damageIsRepairedByAddingAgain() async throws {
        let store = Store()
        let asset = try StoredAsset(1, size: bytes.count)
        try await store.add(asset, of: bytes, to: ["r"])
        let upload = try await store.upload(bytes)
        let old = try #require(try await store.files([asset])[0])
        chmod(store.file(asset).path, 0o644)
        let handle = try FileHandle(forWritingTo: store.file(asset))
        try handle.write(contentsOf: Data([99]))
        try handle.close()
        try await store.backend.write(.public) { transaction in
            try await transaction.removeAssets([asset.checksum])
            try await transaction.add(asset, uploadedAs: upload.id)
        }
        await upload.end()
        try await store.backend.removeAbandonedAssets(from: .public)
        #expect(try Data(contentsOf: store.file(asset)) == bytes)
        let new = try #require(try await store.files([asset])[0])
        #expect(try Data(contentsOf: new) == bytes)
        // The returned file is unchanged.
        #expect(try Data(contentsOf: old).first == 99)
        try await store.add(asset, of: bytes, in: .private(owner: "a"))
        #expect(try Data(contentsOf: store.file(asset, in: "private-a")) == bytes)
    }

    /// An asset that is removed and added again before a collection exists.
    @Test func anAssetThatIsAddedAgainIsNotCollected() async throws {
        let store = Store()
        let asset = try StoredAsset(1, size: bytes.count)
        for number in 0..<20 {
            try await store.add(asset, of: bytes, to: ["r\(number)"])
            if number > 0 { try await store.remove(["r\(number - 1)"], having: [asset]) }
            try await store.remove(["r\(number)"], having: [asset])
            try await store.add(asset, of: bytes, to: ["r\(number)"])
            if number % 5 == 0 { try await Task.sleep(for: .milliseconds(40)) }
            #expect(try Data(contentsOf: store.file(asset)) == bytes)
        }
        try await store.backend.removeAbandonedAssets(from: .public)
        #expect(try Data(contentsOf: store.file(asset)) == bytes)
    }
}

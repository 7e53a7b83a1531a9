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

/// Operations of tests on the assets of a store. A backend trusts the given checksum, so these are invented.
extension Store {
    var assetFolder: URL { directory.appendingPathComponent("assets") }

    /// The paths of an asset's files: in a database, and in the pool.
    func file(_ asset: StoredAsset, in folder: String = "public") -> URL {
        URL(fileURLWithPath: AssetStore.file(asset.checksum, in: assetFolder.appendingPathComponent(folder).path))
    }

    func upload(_ bytes: Data, to database: DatabaseKey = .public) async throws -> any AssetUpload {
        let upload = try await backend.beginUpload(to: database)
        try await upload.append(bytes)
        try await upload.finish()
        return upload
    }

    /// Adds an asset, and records with it.
    @discardableResult
    func add(
        _ asset: StoredAsset, of bytes: Data, to names: [String] = [], in database: DatabaseKey = .public
    ) async throws -> StoredAsset {
        let upload = try await upload(bytes, to: database)
        try await backend.write(database) { transaction in
            try await transaction.add(asset, uploadedAs: upload.id)
            if names.isEmpty { return }
            _ = try await transaction.insertWithSchema(
                names.map { StoredRecord($0, [("image", .asset(Asset(asset)))]) })
        }
        await upload.end()
        return asset
    }

    /// Removes records, and the assets that no other record has, as Cabinet's core does.
    func remove(_ names: [String], having assets: [StoredAsset], in database: DatabaseKey = .public) async throws {
        try await backend.write(database) { transaction in
            let first = try await transaction.reserveSequenceNumbers(max(names.count, 1))
            try await transaction.remove(
                names.map { RecordID(recordName: $0) }, firstSequenceNumber: first, date: Date())
            let checksums = assets.map(\.checksum)
            let used = try await transaction.assetsInUse(among: checksums)
            try await transaction.removeAssets(checksums.filter { !used.contains($0) })
        }
    }

    func files(_ assets: [StoredAsset], in database: DatabaseKey = .public) async throws -> [URL?] {
        try await backend.read(database) { _ in try #require(try await self.backend.files(of: assets, in: database)) }
    }

    /// The files below the folder of assets, by their paths in it.
    func assetFiles() -> [String] {
        let files = FileManager.default.enumerator(atPath: assetFolder.path)?.compactMap { $0 as? String } ?? []
        return files.filter { AssetFile.status(assetFolder.path + "/" + $0).map { $0.st_mode & S_IFMT } == S_IFREG }
            .sorted()
    }

    /// Waits until background work has made a condition true.
    func eventually(_ condition: () async throws -> Bool) async throws -> Bool {
        for _ in 0..<12_000 {
            if try await condition() { return true }
            try await Task.sleep(for: .milliseconds(10))
        }
        return false
    }
}

extension StoredAsset {
    /// An asset with an invented checksum.
    init(_ number: Int, size: Int) throws {
        var bytes = [UInt8](repeating: 0xA5, count: 32)
        withUnsafeBytes(of: number.littleEndian) { bytes.replaceSubrange(0..<$0.count, with: $0) }
        self.init(checksum: try #require(Asset.Checksum(bytes)), size: Int64(size))
    }
}

/// The number of a file's names, and its identity.
func identity(_ file: URL) throws -> (links: Int, number: UInt64) {
    let status = try #require(AssetFile.status(file.path))
    return (Int(status.st_nlink), UInt64(truncatingIfNeeded: status.st_ino))
}

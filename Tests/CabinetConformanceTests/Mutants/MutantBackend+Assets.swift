import Cabinet
import Foundation
import Synchronization

/// What a broken backend does with assets.
extension MutantBackend {
    func databases() async throws -> [DatabaseKey] {
        fault.databases(try await base.databases())
    }

    func beginUpload(to database: DatabaseKey) async throws -> any AssetUpload {
        let begun = try await base.beginUpload(to: fault.database(database))
        let upload = MutantUpload(fault: fault, base: begun, backend: base)
        uploads.add(upload)
        return upload
    }

    func files(of assets: [StoredAsset], in database: DatabaseKey) async throws -> [URL?]? {
        guard fault.sharesFiles else { return nil }
        return try await base.read(fault.database(database)) { snapshot in
            var urls: [URL?] = []
            for asset in assets {
                let bytes = try await snapshot.bytes(of: asset.checksum, in: 0..<asset.size)
                urls.append(try bytes.map { try uploads.sharedFile($0) })
            }
            return urls
        }
    }

    func removeAbandonedAssets(from database: DatabaseKey) async throws -> Int {
        if fault.abandonsUploads { await uploads.endAll() }
        return try await base.removeAbandonedAssets(from: fault.database(database))
    }
}

/// The uploads of a broken backend.
final class MutantUploads: Sendable {
    private let uploads = Mutex<[MutantUpload]>([])
    private let folder = FileManager.default.temporaryDirectory.appendingPathComponent("cabinet-\(UUID().uuidString)")

    deinit {
        try? FileManager.default.removeItem(at: folder)
    }

    /// Writes a file that everyone may read.
    func sharedFile(_ bytes: Data) throws -> URL {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let file = folder.appendingPathComponent(UUID().uuidString)
        try bytes.write(to: file)
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file.path)
        return file
    }

    func add(_ upload: MutantUpload) {
        uploads.withLock { $0.append(upload) }
    }

    func endAll() async {
        for upload in uploads.withLock({ $0 }) { await upload.end() }
    }
}

/// An upload that puts a fault between the core and another one.
struct MutantUpload: AssetUpload {
    let fault: Fault
    let base: any AssetUpload
    let backend: MemoryBackend

    var id: UUID { base.id }

    func append(_ bytes: Data) async throws {
        try await base.append(fault.uploaded(bytes))
    }

    func finish() async throws {
        try await base.finish()
        guard fault.storesUploadsAtOnce else { return }
        let checksum = Asset.Checksum(of: Data("abc".utf8))
        for database in try await backend.databases() + [.public] {
            try await backend.write(database) {
                try await $0.add(StoredAsset(checksum: checksum, size: 3), uploadedAs: id)
            }
        }
    }

    func end() async {
        await base.end()
    }
}

extension MutantView {
    func assets(after checksum: Asset.Checksum?, limit: Int) async throws -> [StoredAsset] {
        fault.listedAssets(try await base.assets(after: checksum, limit: limit))
    }

    func assets(for checksums: [Asset.Checksum]) async throws -> [StoredAsset?] {
        fault.foundAssets(try await base.assets(for: checksums), checksums)
    }

    func assetsInUse(among checksums: [Asset.Checksum]) async throws -> Set<Asset.Checksum> {
        fault.usedAssets(try await base.assetsInUse(among: checksums), checksums)
    }

    func bytes(of checksum: Asset.Checksum, in range: Range<Int64>) async throws -> Data? {
        fault.assetBytes(try await base.bytes(of: checksum, in: range), range)
    }

    func add(_ asset: StoredAsset, uploadedAs id: UUID) async throws {
        if fault.addsAssets { try await base.add(asset, uploadedAs: id) }
    }

    func removeAssets(_ checksums: [Asset.Checksum]) async throws {
        try await base.removeAssets(fault.removedAssets(checksums))
    }
}

extension ReadOnlyTransaction {
    func assets(after checksum: Asset.Checksum?, limit: Int) async throws -> [StoredAsset] {
        try await snapshot.assets(after: checksum, limit: limit)
    }

    func assets(for checksums: [Asset.Checksum]) async throws -> [StoredAsset?] {
        try await snapshot.assets(for: checksums)
    }

    func assetsInUse(among checksums: [Asset.Checksum]) async throws -> Set<Asset.Checksum> {
        try await snapshot.assetsInUse(among: checksums)
    }

    func bytes(of checksum: Asset.Checksum, in range: Range<Int64>) async throws -> Data? {
        try await snapshot.bytes(of: checksum, in: range)
    }
}

extension AutocommitTransaction {
    func assets(after checksum: Asset.Checksum?, limit: Int) async throws -> [StoredAsset] {
        try await backend.read(database) { try await $0.assets(after: checksum, limit: limit) }
    }

    func assets(for checksums: [Asset.Checksum]) async throws -> [StoredAsset?] {
        try await backend.read(database) { try await $0.assets(for: checksums) }
    }

    func assetsInUse(among checksums: [Asset.Checksum]) async throws -> Set<Asset.Checksum> {
        try await backend.read(database) { try await $0.assetsInUse(among: checksums) }
    }

    func bytes(of checksum: Asset.Checksum, in range: Range<Int64>) async throws -> Data? {
        try await backend.read(database) { try await $0.bytes(of: checksum, in: range) }
    }

    func add(_ asset: StoredAsset, uploadedAs id: UUID) async throws {
        try await backend.write(database) { try await $0.add(asset, uploadedAs: id) }
    }

    func removeAssets(_ checksums: [Asset.Checksum]) async throws {
        try await backend.write(database) { try await $0.removeAssets(checksums) }
    }
}

extension SnapshotTransaction {
    func assets(after checksum: Asset.Checksum?, limit: Int) async throws -> [StoredAsset] {
        try await snapshot.assets(after: checksum, limit: limit)
    }

    func assets(for checksums: [Asset.Checksum]) async throws -> [StoredAsset?] {
        try await snapshot.assets(for: checksums)
    }

    func assetsInUse(among checksums: [Asset.Checksum]) async throws -> Set<Asset.Checksum> {
        try await snapshot.assetsInUse(among: checksums)
    }

    func bytes(of checksum: Asset.Checksum, in range: Range<Int64>) async throws -> Data? {
        try await snapshot.bytes(of: checksum, in: range)
    }

    func add(_ asset: StoredAsset, uploadedAs id: UUID) async throws {
        later { try await $0.add(asset, uploadedAs: id) }
    }

    func removeAssets(_ checksums: [Asset.Checksum]) async throws {
        later { try await $0.removeAssets(checksums) }
    }
}

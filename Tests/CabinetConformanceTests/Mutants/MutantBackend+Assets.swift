import Cabinet
import Foundation
import Synchronization

/// A backend's asset storage with a fault.
struct MutantAssetStorage: AssetStorage {
    let fault: Fault
    let base: MemoryBackend
    let uploads: MutantUploads

    private func storage() throws -> any AssetStorage {
        guard let storage = base.abilities.assets else { throw CabinetError(.internalError, "No assets are stored.") }
        return storage
    }

    func beginUpload(to database: DatabaseKey) async throws -> any AssetUpload {
        let begun = try await storage().beginUpload(to: fault.database(database))
        let upload = MutantUpload(fault: fault, base: begun, backend: base)
        uploads.add(upload)
        return upload
    }

    func files(of assets: [StoredAsset], in database: DatabaseKey) async throws -> [URL?]? {
        guard fault.sharesFiles else { return nil }
        return try await base.read(fault.database(database)) { snapshot in
            var urls: [URL?] = []
            for asset in assets {
                let bytes = try await snapshot.abilities.assets?.bytes(of: asset.checksum, in: 0..<asset.size)
                urls.append(try bytes.map { try uploads.sharedFile($0) })
            }
            return urls
        }
    }

    func removeAbandonedAssets(from database: DatabaseKey) async throws -> Int {
        if fault.abandonsUploads { await uploads.endAll() }
        return try await storage().removeAbandonedAssets(from: fault.database(database))
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

    func clone(_ file: URL) async throws -> URL? { nil }

    func append(_ bytes: Data) async throws {
        try await base.append(fault.uploaded(bytes))
    }

    func finish() async throws {
        try await base.finish()
        guard fault.storesUploadsAtOnce else { return }
        let checksum = Asset.Checksum(of: Data("abc".utf8))
        for database in try await backend.databases() + [.public] {
            try await backend.write(database) {
                try await $0.apply([.addAsset(StoredAsset(checksum: checksum, size: 3), uploadedAs: id)])
            }
        }
    }

    func end() async {
        await base.end()
    }
}

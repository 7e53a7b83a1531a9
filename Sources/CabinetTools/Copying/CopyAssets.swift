import Cabinet
import Foundation

/// The assets of a page of changes, copied from one store into another in chunks.
struct CopyAssets {
    /// The number of the page's changes whose assets are copied now.
    ///
    /// If these assets are large, the other changes wait.
    let changeCount: Int
    /// The result that a transaction can use.
    private(set) var uploads: [StoredAsset: UUID] = [:]

    private let source: any StorageSnapshot
    private let target: any StorageBackend
    private let database: DatabaseKey
    private let meter: CopyMeter
    /// The assets that the target lacks, each with a record that has it.
    private let missing: [(asset: StoredAsset, recordID: RecordID, key: Record.FieldKey)]
    private var begun: [any AssetUpload] = []

    /// Finds the assets that the target lacks.
    init(
        of changes: [StoredChange], from source: any StorageSnapshot, to target: any StorageBackend,
        database: DatabaseKey, meter: CopyMeter
    ) async throws {
        self.source = source
        self.target = target
        self.database = database
        self.meter = meter
        let all = changes.reduce(into: Set<StoredAsset>()) { $0.formUnion($1.record?.fields.storedAssets ?? []) }
        guard !all.isEmpty else {
            (changeCount, missing) = (changes.count, [])
            return
        }
        let checksums = all.map(\.checksum)
        var known = Set(
            try await target.read(database) { snapshot in
                try await snapshot.abilities.assets?.assets(for: checksums).compactMap { $0?.checksum } ?? []
            })
        var missing: [(asset: StoredAsset, recordID: RecordID, key: Record.FieldKey)] = []
        var count = 0
        var bytes: Int64 = 0
        for change in changes where bytes < CopyPass.pageBytes {
            count += 1
            guard let record = change.record else { continue }
            for (key, asset) in record.fields.assets {
                guard let asset = asset.stored, known.insert(asset.checksum).inserted else { continue }
                missing.append((asset, record.recordID, key))
                // A damaged record may have any size.
                bytes &+= asset.size
            }
        }
        (changeCount, self.missing) = (count, missing)
    }

    /// Copies the bytes of the assets, by calls that may block.
    ///
    /// - Parameter checkCancellation: Throws if the task was cancelled.
    mutating func upload(_ checkCancellation: () throws -> Void) async throws {
        for (asset, recordID, key) in missing {
            guard let storage = target.abilities.assets else {
                throw CabinetError(
                    .serverRejectedRequest,
                    "The target's backend stores no assets, but the record has one. Copy to a backend that stores assets.",
                    recordID: recordID, fieldKey: key)
            }
            let upload = try await storage.beginUpload(to: database)
            begun.append(upload)
            let damage = try await asset.damage(in: source, checkCancellation) { bytes in
                try await upload.append(bytes)
                meter.advance { $0.completedBytes += Int64(bytes.count) }
            }
            if damage == .lost, try await source.isOfMirror() {
                throw CabinetError(
                    .assetNotAvailable,
                    "The store is that of a mirror, and lacks bytes of the asset \(asset), which the server has. Back the store up "
                        + "instead, or export the records from the server.", recordID: recordID, fieldKey: key)
            }
            if let damage {
                throw Self.failure(damage == .lost ? "has lost" : "has damaged", asset, recordID, key)
            }
            try await upload.finish()
            uploads[asset] = upload.id
            meter.advance { $0.completedAssets += 1 }
        }
    }

    /// Ends all uploads.
    func end() async {
        for upload in begun { await upload.end() }
    }

    private static func failure(
        _ fate: String, _ asset: StoredAsset, _ recordID: RecordID, _ key: Record.FieldKey
    ) -> CabinetError {
        CabinetError(
            .assetNotAvailable,
            "The source \(fate) bytes of the asset \(asset). Save the field again from the original, or without an asset, and "
                + "start the copy again.", recordID: recordID, fieldKey: key)
    }
}

/// A fault of the bytes of a stored asset.
enum AssetDamage {
    case lost
    case changed
}

extension StoredAsset {
    /// Reads the bytes that a store has, in parts, and returns what is wrong with them.
    func damage(
        in snapshot: any StorageSnapshot, _ checkCancellation: () throws -> Void,
        _ body: (Data) async throws -> Void
    ) async throws -> AssetDamage? {
        var hash = SHA256()
        let isComplete = try await read {
            try checkCancellation()
            return try await snapshot.abilities.assets?.bytes(of: checksum, in: $0)
        } each: {
            hash.update($0)
            try await body($0)
        }
        return !isComplete ? .lost : hash.checksum != checksum ? .changed : nil
    }
}

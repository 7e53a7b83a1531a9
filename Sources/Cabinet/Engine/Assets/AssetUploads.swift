import Foundation

/// The uploads of the assets of a request's records.
///
/// The bytes are copied before the transaction begins, so that the transaction is short. The transaction then adds the uploads
/// that it needs. All uploads are ended afterwards, with any outcome.
struct AssetUploads: Sendable {
    /// The request, with stored assets instead of new ones.
    private(set) var request: ModifyRequest
    /// The records that cannot be saved because of their assets, and why.
    private(set) var failures: [RecordID: CabinetError] = [:]
    /// The uploads that a transaction can add.
    private(set) var ids: [StoredAsset: UUID] = [:]

    private let backend: any StorageBackend
    private let database: DatabaseKey
    private let original: ModifyRequest
    /// The result of reading each asset.
    private var outcomes: [Asset: Result<StoredAsset, CabinetError>] = [:]
    /// The assets that the bytes of stored assets were read from.
    private var sources: [Asset.Checksum: Asset] = [:]
    private var begun: [any AssetUpload] = []
    private var meter: AssetMeter

    /// Creates the uploads of a request.
    ///
    /// - Returns: `nil` if no record has an asset, as in most requests.
    init?(
        of request: ModifyRequest, to database: DatabaseKey, in backend: any StorageBackend,
        progress: (@Sendable (AssetProgress) -> Void)?
    ) {
        guard request.recordsToSave.contains(where: \.fields.hasAssets) else { return nil }
        original = request
        self.request = request
        self.backend = backend
        self.database = database
        meter = AssetMeter(progress)
    }

    /// Copies the bytes of all new assets into the store.
    ///
    /// Bytes that the store already has are not copied again if the asset is small enough to be read in advance.
    mutating func upload() async throws {
        let new = places { $0.stored == nil }
        meter.expect(new)
        var remaining: [AssetPlace] = []
        for place in new where outcomes[place.asset] == nil {
            outcomes[place.asset] = Self.checksum(ofSmall: place.asset)
            if outcomes[place.asset] == nil { remaining.append(place) }
        }
        let known = Set(outcomes.values.compactMap { try? $0.get() })
        let storedAssets = try await backend.intact(known, in: database)
        for place in new {
            guard case .success(let stored) = outcomes[place.asset] else { continue }
            sources[stored.checksum] = place.asset
            if storedAssets.contains(stored) || ids[stored] != nil {
                meter.skip(place, stored.size)
            } else {
                try await copy(place)
            }
        }
        for place in remaining where outcomes[place.asset] == nil { try await copy(place) }
        rewrite()
    }

    /// Copies the bytes of stored assets that the store turned out to lack, from the assets of the records.
    mutating func upload(missing: Set<StoredAsset>) async throws {
        for place in places({ _ in true }) {
            let stored = (try? outcomes[place.asset]?.get()) ?? place.asset.stored
            guard let stored, missing.contains(stored), ids[stored] == nil else { continue }
            var source = place
            source.asset = sources[stored.checksum] ?? place.asset
            try await copy(source)
            if case .failure(let error) = outcomes[source.asset] {
                outcomes[place.asset] = .failure(error)
            } else if source.asset != place.asset, ids[stored] == nil {
                // The source has other bytes now, so trying again would not help.
                outcomes[place.asset] = .failure(
                    CabinetError(
                        .assetFileModified,
                        "The file \(source.asset) changed while it was being saved. Nothing was saved; try again when no process writes to it."
                    ))
            }
        }
        rewrite()
    }

    /// Ends all uploads.
    func end() async {
        for upload in begun { await upload.end() }
    }

    /// Returns the failures with the client's records: a conflict has the assets that the client tried to save.
    func restored(_ failures: [RecordID: CabinetError]) -> [RecordID: CabinetError] {
        var failures = failures
        for record in original.recordsToSave {
            guard let conflict = failures[record.recordID]?.conflict else { continue }
            failures[record.recordID]?.conflict = RecordConflict(
                clientRecord: record, serverRecord: conflict.serverRecord, ancestorRecord: conflict.ancestorRecord)
        }
        return failures
    }

    // MARK: -

    /// Returns the assets that satisfy a condition, with their fields.
    private func places(_ condition: (Asset) -> Bool) -> [AssetPlace] {
        original.recordsToSave.flatMap { record in
            record.fields.assets.filter { condition($0.asset) }
                .map { AssetPlace(recordID: record.recordID, key: $0.key, asset: $0.asset) }
        }
    }

    /// Copies the bytes of an asset, and records the outcome.
    private mutating func copy(_ place: AssetPlace) async throws {
        do {
            let upload = try await backend.beginUpload(to: database)
            begun.append(upload)
            let stored = try await meter.copy(place, to: upload)
            ids[stored] = upload.id
            sources[stored.checksum] = place.asset
            outcomes[place.asset] = .success(stored)
        } catch let error as CabinetError where error.code.isOfOneAsset {
            outcomes[place.asset] = .failure(error)
        }
    }

    /// Returns the identity of an asset that is read at once; `nil` for a large one.
    private static func checksum(ofSmall asset: Asset) -> Result<StoredAsset, CabinetError>? {
        do throws(CabinetError) {
            var bytes = try AssetBytes(asset)
            guard bytes.size <= AssetFile.chunkSize else { return nil }
            while try bytes.next() != nil {}
            return .success(bytes.stored)
        } catch {
            return .failure(error)
        }
    }

    /// Replaces the assets in the records by stored ones, and fails the records whose assets cannot be stored.
    private mutating func rewrite() {
        for (index, record) in original.recordsToSave.enumerated() where record.fields.hasAssets {
            var record = record
            for (key, asset) in record.fields.assets {
                guard case .failure(var error) = outcomes[asset] else { continue }
                error.recordID = record.recordID
                error.fieldKey = key
                if failures[record.recordID] == nil { failures[record.recordID] = error }
            }
            if failures[record.recordID] != nil { continue }
            let fields = record.fields.replacingAssets { asset in
                (try? outcomes[asset]?.get()).map(Asset.init) ?? asset
            }
            record.mutate { $0.fields = fields }
            request.recordsToSave[index] = record
        }
    }
}

extension CabinetError.Code {
    /// Whether the error concerns the file of one asset only, and no other record.
    fileprivate var isOfOneAsset: Bool {
        [.assetFileNotFound, .assetFileModified, .assetNotAvailable].contains(self)
    }
}

extension StorageBackend {
    /// Returns the given small assets that are stored and undamaged.
    fileprivate func intact(_ assets: Set<StoredAsset>, in database: DatabaseKey) async throws -> Set<StoredAsset> {
        if assets.isEmpty { return [] }
        return try await read(database) { snapshot in
            var intact: Set<StoredAsset> = []
            for case let asset? in try await snapshot.assets(for: assets.map(\.checksum)) {
                let bytes = try? await snapshot.bytes(of: asset.checksum, in: 0..<asset.size)
                if let bytes, Asset.Checksum(of: bytes) == asset.checksum { intact.insert(asset) }
            }
            return intact
        }
    }
}

import Foundation

/// The uploads of the assets of a request's records.
///
/// The bytes are sent before the request, so that the transaction is short. The transaction then adds the uploads that it needs.
/// All uploads are ended afterwards, with any outcome.
struct AssetUploads: Sendable {
    /// The request, with stored assets instead of new ones.
    private var request: ModifyRecordsRequest
    /// The finished uploads, by the owners of the zones.
    private var ids: [String: [StoredAsset: UUID]] = [:]

    private let client: ServiceClient
    private let original: ModifyRecordsRequest
    /// The result of reading each asset.
    private var outcomes: [Asset: Result<StoredAsset, CabinetError>] = [:]
    /// The assets that the bytes of stored assets were read from.
    private var sources: [Asset.Checksum: Asset] = [:]
    private var begun: [UUID] = []
    private var meter: AssetMeter
    /// The number of times that uploads may still begin again, after the service has lost them.
    private var remainingLosses = 16

    /// Creates the uploads of a request.
    ///
    /// - Returns: `nil` if no record has an asset, as in most requests.
    init?(
        of request: ModifyRecordsRequest, by client: ServiceClient, progress: (@Sendable (AssetProgress) -> Void)?
    ) {
        guard request.recordsToSave.contains(where: \.fields.hasAssets) else { return nil }
        original = request
        self.request = request
        self.client = client
        meter = AssetMeter(progress)
    }

    /// Uploads the assets, and returns the response to the request.
    mutating func response() async throws -> ModifyRecordsRequest.Response {
        meter.expect(placesToSend)
        try await upload()
        // Each further round uploads assets that the store has lost since, or fails their records.
        var rounds = places({ _, _, _ in true }).count
        while rounds >= 0 {
            let response: ModifyRecordsRequest.Response
            do {
                response = try await client.perform(request)
            } catch let error as CabinetError where !ids.isEmpty && error.isOfLostUpload {
                // Nothing was saved.
                try countLoss(error)
                (ids, outcomes, request) = ([:], [:], original)
                meter.restart()
                try await upload()
                continue
            }
            if response.missingAssets.isEmpty { return response }
            rounds -= 1
            // The last records with these assets were deleted since this client fetched them.
            try await upload(missing: Set(response.missingAssets))
        }
        throw CabinetError(
            .internalError, "The service asks for the same asset again and again. No record with it was saved.")
    }

    /// Uploads the bytes of all new assets.
    ///
    /// Bytes that the store already has are not sent again if the asset is small enough to be read in advance.
    private mutating func upload() async throws {
        let new = placesToSend
        var remaining: [AssetPlace] = []
        for place in new where outcomes[place.asset] == nil {
            outcomes[place.asset] = Self.checksum(ofSmall: place.asset)
            if outcomes[place.asset] == nil { remaining.append(place) }
        }
        let known = Set(outcomes.values.compactMap { try? $0.get() })
        let storedAssets = try await client.find(known, in: original.scope)
        for place in new {
            guard case .success(let stored) = outcomes[place.asset] else { continue }
            sources[stored.checksum] = place.asset
            if storedAssets.contains(stored) || isFinished(place) {
                meter.skip(place, stored.size)
            } else {
                try await copy(place)
            }
        }
        for place in remaining where !isFinished(place) { try await copy(place) }
        rewrite()
    }

    /// Copies the bytes of stored assets that the store turned out to lack, from the assets of the records.
    private mutating func upload(missing: Set<StoredAsset>) async throws {
        for place in places({ _, _, _ in true }) {
            let stored = (try? outcomes[place.asset]?.get()) ?? place.asset.stored
            guard let stored, missing.contains(stored), ids[place.owner]?[stored] == nil else { continue }
            var source = place
            source.asset = sources[stored.checksum] ?? place.asset
            try await copy(source)
            if case .failure(let error) = outcomes[source.asset] {
                outcomes[place.asset] = .failure(error)
            } else if source.asset != place.asset, ids[place.owner]?[stored] == nil {
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

    /// Ends all uploads, also if the task is cancelled.
    func end() async {
        if begun.isEmpty { return }
        // Uploads that are not ended now expire.
        await OwnTasks.finish { [client, begun] in _ = try await client.perform(EndUploadsRequest(begun)) }
    }

    /// Returns the saved records with files of their assets.
    func addingFiles(to results: [Result<Record, CabinetError>]) async -> [Result<Record, CabinetError>] {
        var complete = results
        for (position, result) in results.enumerated() {
            guard case .success(let record) = result else { continue }
            // The record is saved, whether or not its files can be created now.
            if let record = try? await client.addingFiles(to: record, in: original.scope) {
                complete[position] = .success(record)
            }
        }
        return complete
    }

    // MARK: -

    /// The assets whose bytes are sent before the request, with their fields.
    ///
    /// These are the new ones. In a batch of several owners, they are all that a record did not have: the service cannot ask for the
    /// assets that one database lacks after it has changed another one.
    private var placesToSend: [AssetPlace] {
        let owners = Set(original.recordsToSave.map(\.recordID.zoneID.ownerName))
        let isDivided = original.scope == .shared && owners.count > 1
        return places { record, key, asset in
            asset.stored == nil
                || isDivided && asset.fileURL != nil && record.fields[key] != record.fetched?.fields[key]
        }
    }

    /// Returns the assets that satisfy a condition, with their fields.
    private func places(_ condition: (Record, Record.FieldKey, Asset) -> Bool) -> [AssetPlace] {
        original.recordsToSave.flatMap { record in
            record.fields.assets.filter { condition(record, $0.key, $0.asset) }
                .map { AssetPlace(recordID: record.recordID, key: $0.key, asset: $0.asset) }
        }
    }

    /// Whether the bytes of an asset were sent to the database of its record, or cannot be sent.
    private func isFinished(_ place: AssetPlace) -> Bool {
        switch outcomes[place.asset] {
        case .success(let stored): ids[place.owner]?[stored] != nil
        case .failure: true
        case nil: false
        }
    }

    /// Copies the bytes of an asset, and records the outcome.
    private mutating func copy(_ place: AssetPlace) async throws {
        do {
            let (stored, upload) = try await send(place)
            ids[place.owner, default: [:]][stored] = upload
            sources[stored.checksum] = place.asset
            outcomes[place.asset] = .success(stored)
        } catch let error as CabinetError where error.code.isOfOneAsset {
            outcomes[place.asset] = .failure(error)
        }
    }

    /// Sends the bytes of an asset, again if the upload was lost.
    private mutating func send(_ place: AssetPlace) async throws -> (asset: StoredAsset, upload: UUID) {
        // An asset that was fetched is sent as bytes, which are verified.
        let file = place.asset.stored == nil ? place.asset.fileURL : nil
        while true {
            let upload = try await client.perform(
                BeginUploadRequest(
                    scope: original.scope, zoneID: original.scope == .shared ? place.recordID.zoneID : nil, file: file))
            begun.append(upload.upload)
            do {
                let stored = try await meter.copy(place, to: upload, by: client)
                return (stored, upload.upload)
            } catch let error as CabinetError where error.isOfLostUpload {
                try countLoss(error)
            }
        }
    }

    /// Throws if uploads were lost too often.
    private mutating func countLoss(_ error: CabinetError) throws(CabinetError) {
        remainingLosses -= 1
        if remainingLosses < 0 { throw error }
    }

    /// Returns the identity of an asset that is read at once; `nil` for a large one.
    private static func checksum(ofSmall asset: Asset) -> Result<StoredAsset, CabinetError>? {
        do throws(CabinetError) {
            var bytes = try AssetBytes(asset)
            guard bytes.size <= StoredAsset.partSize else { return nil }
            while try bytes.next() != nil {}
            return .success(bytes.stored)
        } catch {
            return .failure(error)
        }
    }

    /// Replaces the assets in the records by stored ones, and fails the records whose assets cannot be stored.
    private mutating func rewrite() {
        request.uploads = ids.values.flatMap(\.values)
        for (index, record) in original.recordsToSave.enumerated() where record.fields.hasAssets {
            var record = record
            for (key, asset) in record.fields.assets {
                guard case .failure(var error) = outcomes[asset] else { continue }
                error.recordID = record.recordID
                error.fieldKey = key
                if request.refusals[record.recordID] == nil { request.refusals[record.recordID] = error }
                // The record is refused, and an asset that has no bytes cannot be sent.
                record[key] = nil
            }
            request.recordsToSave[index] = record.replacingAssets { asset in
                (try? outcomes[asset]?.get()).map { Asset($0) } ?? asset
            }
        }
    }
}

extension CabinetError {
    /// Whether the service no longer knows an upload, because it was restarted, or no call has named the upload for an hour.
    fileprivate var isOfLostUpload: Bool { code == .unknownItem && recordID == nil }
}

extension CabinetError.Code {
    /// Whether the error concerns the file of one asset only, and no other record.
    fileprivate var isOfOneAsset: Bool {
        [.assetFileNotFound, .assetFileModified, .assetNotAvailable].contains(self)
    }
}

extension ServiceClient {
    /// Returns the given small assets that are stored and undamaged.
    fileprivate func find(_ assets: Set<StoredAsset>, in scope: DatabaseScope) async throws -> Set<StoredAsset> {
        if assets.isEmpty { return [] }
        return Set(try await perform(FindAssetsRequest(scope: scope, assets: Array(assets))).assets)
    }
}

/// An asset and the field of a record that has it.
struct AssetPlace: Sendable {
    let recordID: RecordID
    let key: Record.FieldKey
    var asset: Asset

    /// The owner of the record's zone, whose database stores the bytes in the shared one.
    var owner: String { recordID.zoneID.ownerName }
}

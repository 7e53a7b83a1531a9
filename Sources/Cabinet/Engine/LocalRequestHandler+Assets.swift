import Foundation

extension LocalRequestHandler {
    func response(to request: FindAssetsRequest) async throws -> FindAssetsRequest.Response {
        let (database, _) = try databaseToWrite(request.scope)
        try checkCount(request.assets.count)
        // A zone of the shared database is in another one, whose assets the user may not search.
        if request.assets.isEmpty || request.scope == .shared { return FindAssetsRequest.Response() }
        return try await read(database) { snapshot in
            let schema = try await snapshot.schema()
            // A checksum alone must not show whether a record has the bytes that the user may not read.
            guard try await permissions(in: request.scope, schema, from: snapshot).canReadAllAssets(in: schema) else {
                return FindAssetsRequest.Response()
            }
            var response = FindAssetsRequest.Response()
            for case let asset? in try await snapshot.assets(for: request.assets.map(\.checksum)) {
                guard asset.size <= StoredAsset.partSize, request.assets.contains(asset) else { continue }
                let bytes = try? await snapshot.bytes(of: asset.checksum, in: 0..<asset.size)
                if let bytes, Asset.Checksum(of: bytes) == asset.checksum { response.assets.append(asset) }
            }
            return response
        }
    }

    func response(to request: BeginUploadRequest) async throws -> BeginUploadRequest.Response {
        if let shared = try sharedHandler(for: request.scope) { return try await shared.response(to: request) }
        let (database, user) = try databaseToWrite(request.scope)
        let upload = try await service.uploads.begin(in: database, of: backend, for: user)
        var response = BeginUploadRequest.Response(upload: upload.id)
        if let file = request.file {
            do {
                response.hasFile = try await upload.clone(file)
            } catch {
                await service.uploads.end([upload.id], of: caller)
                throw error
            }
        }
        return response
    }

    func response(to request: FinishUploadRequest) async throws -> StoredAsset {
        try await service.uploads.upload(request.upload, of: caller).finish()
    }

    func response(to request: EndUploadsRequest) async throws -> EmptyResponse {
        await service.uploads.end(request.uploads, of: caller)
        return EmptyResponse()
    }

    /// Reads bytes of an asset that a record has, if the user may read the record.
    func bytes(
        of asset: StoredAsset, of recordID: RecordID, in range: Range<Int64>, scope: DatabaseScope
    ) async throws -> Data {
        if let shared = try sharedHandler(for: scope) {
            return try await shared.bytes(of: asset, of: recordID, in: range)
        }
        let database = try databaseToRead(scope)
        let recordID = ownerRule.canonical(recordID)
        return try await read(database) { snapshot in
            // The owner of a private database may read all its assets.
            let isReadable =
                if scope == .private { true } else {
                    try await mayRead(asset, of: recordID, scope: scope, in: snapshot)
                }
            guard isReadable, range.lowerBound >= 0, range.upperBound <= asset.size,
                let bytes = try await snapshot.bytes(of: asset.checksum, in: range)
            else {
                throw CabinetError(
                    .assetNotAvailable,
                    "The record has no such asset, or the store has lost its bytes. Fetch the record again.",
                    recordID: recordID)
            }
            return bytes
        }
    }

    private func mayRead(
        _ asset: StoredAsset, of recordID: RecordID, scope: DatabaseScope, in snapshot: any StorageSnapshot
    ) async throws -> Bool {
        let values = try await snapshot.load(StorageKeys(records: [recordID]))
        guard let record = values.records.first ?? nil else { return false }
        let permissions = try await permissions(in: scope, values.schema, [recordID.zoneID], from: snapshot)
        return permissions.allows(.read, for: record) && record.fields.storedAssets.contains(asset)
    }

    /// Adds to the assets of records the store's own files, if it keeps the bytes in files on this machine.
    ///
    /// - Parameters:
    ///   - records: Records that the read in whose closure this is called has found.
    ///   - database: The database that they belong to.
    func addingFiles(to records: [StoredRecord?], in database: DatabaseKey) async throws -> [StoredRecord?] {
        guard records.contains(where: { $0?.fields.hasAssets == true }) else { return records }
        let assets = Array(records.reduce(into: Set()) { $0.formUnion($1?.fields.storedAssets ?? []) })
        guard let urls = try? await backend.abilities.assets?.files(of: assets, in: database) else { return records }
        var found: [StoredAsset: Asset] = [:]
        for case (let asset, let url?) in zip(assets, urls) { found[asset] = Asset(.stored(asset, fileURL: url)) }
        return records.map { record in
            guard var record, record.fields.hasAssets else { return record }
            record.fields = record.fields.replacingAssets { asset in asset.stored.flatMap { found[$0] } ?? asset }
            return record
        }
    }

    /// Does the same for records that all exist.
    func addingFiles(to records: [StoredRecord], in database: DatabaseKey) async throws -> [StoredRecord] {
        guard records.contains(where: \.fields.hasAssets) else { return records }
        return try await addingFiles(to: records.map(Optional.some), in: database).compactMap(\.self)
    }
}

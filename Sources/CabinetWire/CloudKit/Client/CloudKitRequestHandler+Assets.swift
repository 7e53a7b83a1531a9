public import Cabinet
import Foundation

/// An upload to CloudKit names the record and the field, so the transport keeps the bytes until a request names both.
extension CloudKitRequestHandler {
    /// Finds no assets: CloudKit cannot be asked for checksums.
    public func response(to request: FindAssetsRequest) async throws -> FindAssetsRequest.Response { .init([]) }

    /// Begins an upload, whose bytes the transport keeps.
    public func response(to request: BeginUploadRequest) async throws -> BeginUploadRequest.Response {
        .init(try await transport.beginUpload())
    }

    /// Returns the asset that an upload has.
    public func response(to request: FinishUploadRequest) async throws -> FinishUploadRequest.Response {
        try await transport.finishUpload(request.upload)
    }

    /// Releases the bytes of uploads.
    public func response(to request: EndUploadsRequest) async throws -> EndUploadsRequest.Response {
        await transport.endUploads(request.uploads)
        return .init()
    }

    /// Sends the bytes of a request's assets, with `assets/upload`, or refers to those of fetched records, with `assets/rereference`.
    ///
    /// - Parameter failures: The records that are not sent.
    /// - Returns: The values of the fields, and the assets that are neither uploaded nor in a fetched record.
    func uploadedValues(
        of request: ModifyRecordsRequest, _ failures: [RecordID: CabinetError]
    ) async throws -> (UploadedValues, missing: [StoredAsset]) {
        let records = request.recordsToSave.filter { !$0.fields.assets.isEmpty && failures[$0.recordID] == nil }
        if records.isEmpty { return ([:], []) }
        var uploads: [StoredAsset: UUID] = [:]
        for upload in request.uploads { uploads[try await transport.finishUpload(upload)] = upload }
        var places: [(slot: AssetSlot, asset: StoredAsset)] = []
        for record in records {
            let keys = Self.sentKeys(of: record, request.savePolicy)
            for (key, asset) in record.fields.assets where keys.contains(key) {
                guard let stored = asset.stored else { continue }
                let slot = AssetSlot(
                    scope: request.scope, recordID: record.recordID, recordType: record.recordType, fieldKey: key)
                places.append((slot, stored))
            }
        }
        var values: UploadedValues = [:]
        var missing: [StoredAsset] = []
        for (slot, asset) in places where uploads[asset] == nil {
            if let receipt = try await receipt(of: asset, in: request.scope) {
                values[UploadedAsset(slot, asset)] = receipt
            } else {
                missing.append(asset)
            }
        }
        if !missing.isEmpty { return ([:], missing) }
        for (slot, asset) in places {
            guard let upload = uploads[asset] else { continue }
            values[UploadedAsset(slot, asset)] = try await receipt(of: upload, for: slot)
        }
        return (values, [])
    }

    /// Sends the bytes of an upload for a field.
    private func receipt(of upload: UUID, for slot: AssetSlot) async throws -> AssetReceipt {
        let root = try await send(.assetsUpload, to: slot.scope, items: "tokens") { writer throws(CabinetError) in
            try writer.member("tokens", [slot]) { writer, slot throws(CabinetError) in
                try writer.object { writer in
                    writer.member("recordName", slot.recordID.recordName)
                    writer.member("recordType", slot.recordType)
                    writer.member("fieldName", slot.fieldKey)
                }
            }
            try writer.zone(slot.recordID.zoneID, userRecordName)
        }
        let url = try Self.items(root, "tokens", count: 1)[0].required("url").string()
        let answer = try Self.root(of: try await transport.send(upload, to: url))
        return try AssetReceipt(try answer.required("singleFile").object())
    }

    /// Refers to an asset of a record that was fetched; `nil` if none of the database is known, or it has the asset no longer.
    private func receipt(of asset: StoredAsset, in scope: DatabaseScope) async throws -> AssetReceipt? {
        guard let slot = transport.slot(of: asset), slot.scope == scope else { return nil }
        let codes: [CabinetError.Code] = [.unknownItem, .invalidArguments, .permissionFailure, .zoneNotFound]
        var root: JSONNode?
        do {
            root = try await send(.assetsRereference, to: slot.scope, items: "assets") { writer throws(CabinetError) in
                try writer.member("assets", [slot]) { writer, slot throws(CabinetError) in
                    try writer.object { writer in
                        writer.member("recordName", slot.recordID.recordName)
                        writer.member("fieldName", slot.fieldKey)
                    }
                }
                try writer.zone(slot.recordID.zoneID, userRecordName)
            }
        } catch let error as CabinetError where codes.contains(error.code) {
            root = nil
        }
        guard let value = try root.map({ try Self.items($0, "assets", count: 1)[0] }), value.has("receipt") else {
            return nil
        }
        return try AssetReceipt(value)
    }
}

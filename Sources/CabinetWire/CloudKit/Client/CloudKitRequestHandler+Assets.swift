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

    /// Sends the bytes of a request's assets, with `assets/upload`.
    ///
    /// - Parameter failures: The records that are not sent.
    /// - Returns: The values of the fields, and the assets of sent fields that were not uploaded.
    func uploadedValues(
        of request: ModifyRecordsRequest, _ failures: [RecordID: CabinetError]
    ) async throws -> (UploadedValues, missing: [StoredAsset]) {
        let records = request.recordsToSave.filter { !$0.fields.assets.isEmpty && failures[$0.recordID] == nil }
        if records.isEmpty { return ([:], []) }
        var uploads: [StoredAsset: UUID] = [:]
        for upload in request.uploads { uploads[try await transport.finishUpload(upload)] = upload }
        var values: UploadedValues = [:]
        var missing: [StoredAsset] = []
        for (zoneID, records) in Self.zones(of: records, by: \.recordID.zoneID) {
            var places: [(asset: UploadedAsset, recordType: Record.RecordType, upload: UUID)] = []
            for record in records {
                let keys = Self.sentKeys(of: record, request.savePolicy)
                for (key, asset) in record.fields.assets where keys.contains(key) {
                    guard let stored = asset.stored else { continue }
                    guard let upload = uploads[stored] else {
                        missing.append(stored)
                        continue
                    }
                    places.append(
                        (UploadedAsset(recordID: record.recordID, key: key, asset: stored), record.recordType, upload))
                }
            }
            guard missing.isEmpty else { continue }
            for part in Self.parts(of: places) {
                let root = try await send(.assetsUpload, to: request.scope, items: "tokens") {
                    writer throws(CabinetError) in
                    try writer.member("tokens", Array(part)) { writer, place throws(CabinetError) in
                        try writer.object { writer in
                            writer.member("recordName", place.asset.recordID.recordName)
                            writer.member("recordType", place.recordType)
                            writer.member("fieldName", place.asset.key)
                        }
                    }
                    try writer.zone(zoneID, userRecordName)
                }
                for (token, place) in zip(try Self.items(root, "tokens", count: part.count), part) {
                    let url = try token.required("url").string()
                    let answer = try Self.root(of: try await transport.send(place.upload, to: url))
                    values[place.asset] = try AssetReceipt(try answer.required("singleFile").object())
                }
            }
        }
        return (values, missing)
    }
}

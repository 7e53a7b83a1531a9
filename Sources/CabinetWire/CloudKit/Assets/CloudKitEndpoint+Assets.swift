public import Cabinet
public import Foundation

extension CloudKitEndpoint {
    /// Answers `assets/upload`.
    func uploadAssets(_ root: JSONNode) throws(CabinetError) -> CloudKitResponse {
        guard caller.account != nil else {
            throw CabinetError(.notAuthenticated, "Assets are uploaded by users: sign in first.")
        }
        let zoneID = try self.zoneID(in: root) ?? .default
        var slots: [AssetSlot] = []
        for item in try Self.items(root, "tokens") {
            let name = try item["recordName"]?.string()
            slots.append(
                AssetSlot(
                    scope: scope,
                    recordID: name.map { RecordID(recordName: $0, zoneID: zoneID) } ?? RecordID(zoneID: zoneID),
                    recordType: try item.required("recordType").string(),
                    fieldKey: try item.required("fieldName").string()))
        }
        return try CloudKitResponse { writer throws(CabinetError) in
            try writer.member("tokens", slots) { writer, slot throws(CabinetError) in
                let url = try host.uploadURL(for: slot, caller: caller)
                try writer.object { writer in
                    writer.member("recordName", slot.recordID.recordName)
                    writer.member("fieldName", slot.fieldKey)
                    writer.member("url", url)
                }
            }
        }
    }

    /// Answers `assets/rereference`: the values by which other records can have the assets of fields.
    func rereferenceAssets(_ root: JSONNode) async throws -> CloudKitResponse {
        let zoneID = try self.zoneID(in: root) ?? .default
        let items = try Self.items(root, "assets")
        var request = FetchRecordsRequest(in: scope)
        var seen: Set<RecordID> = []
        for item in items {
            let id = RecordID(recordName: try item.required("recordName").string(), zoneID: zoneID)
            if seen.insert(id).inserted { request.recordIDs.append(id) }
        }
        let results = request.recordIDs.isEmpty ? [] : try await perform(request).results
        let records = Dictionary(zip(request.recordIDs, results)) { first, _ in first }
        return try CloudKitResponse { writer throws(CabinetError) in
            try writer.member("assets", items) { writer, item throws(CabinetError) in
                let name = try item.required("recordName").string()
                let key = try item.required("fieldName").string()
                let record = records[RecordID(recordName: name, zoneID: zoneID)]
                try write(record?.map { $0.fields[key] } ?? .success(nil), of: name, key, to: &writer)
            }
        }
    }

    /// Writes the value of a field in a request: an asset, or a list of assets; the error in its position if there is none.
    private func write(
        _ result: Result<FieldValue?, CabinetError>, of recordName: String, _ key: Record.FieldKey,
        to writer: inout JSONWriter
    ) throws(CabinetError) {
        func write(_ asset: Asset, to writer: inout JSONWriter) throws(CabinetError) {
            guard let stored = asset.stored else { throw CabinetError(.internalError, "The asset is not stored.") }
            try writer.object { writer in writer.assetWithReceipt(stored, receipt(for: stored, upload: nil)) }
        }
        switch result {
        case .success(.asset(let asset)): try write(asset, to: &writer)
        case .success(.list(.asset(let assets))):
            try writer.array { writer throws(CabinetError) in
                for asset in assets { try write(asset, to: &writer) }
            }
        case .success, .failure:
            var error = CabinetError(.invalidArguments, "The field '\(key)' has no asset.", fieldKey: key)
            if case .failure(let failure) = result { error = failure }
            try writer.object { writer in
                writer.member("recordName", recordName)
                writer.member("fieldName", key)
                CloudKitFailure(error: error).writeMembers(to: &writer)
            }
        }
    }

    /// Returns the response to the bytes of an asset: `{"singleFile": …}`, which becomes the value of the field.
    ///
    /// - Parameters:
    ///   - asset: The asset that the service has.
    ///   - upload: The finished upload.
    /// - Throws: Nothing that a client could cause.
    public func uploadResponse(_ asset: StoredAsset, upload: UUID) throws(CabinetError) -> CloudKitResponse {
        try CloudKitResponse { writer throws(CabinetError) in
            try writer.member("singleFile") { writer in
                writer.assetWithReceipt(asset, receipt(for: asset, upload: upload))
            }
        }
    }

    /// Returns the text by which a record gets an asset.
    private func receipt(for asset: StoredAsset, upload: UUID?) -> String {
        seal(Array("\(upload.map(\.uuidString) ?? "") \(asset)".utf8))
    }

    /// Returns the asset of a receipt, and its upload.
    func asset(ofReceipt text: String) throws(CabinetError) -> (asset: StoredAsset, upload: UUID?) {
        let parts = String(decoding: try open(text), as: UTF8.self).split(
            separator: " ", omittingEmptySubsequences: false)
        guard parts.count == 2, let asset = StoredAsset(String(parts[1])) else {
            throw CabinetError(.invalidArguments, "The receipt is not one of this server. Upload the asset again.")
        }
        return (asset, UUID(uuidString: String(parts[0])))
    }
}

extension JSONWriter {
    /// Writes the members of an asset's value in a request.
    fileprivate mutating func assetWithReceipt(_ stored: StoredAsset, _ receipt: String) {
        asset(stored)
        member("receipt", receipt)
    }
}

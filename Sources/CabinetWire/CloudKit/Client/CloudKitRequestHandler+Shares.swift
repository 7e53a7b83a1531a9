public import Cabinet

/// The descriptions and the acceptance of shares.
extension CloudKitRequestHandler {
    /// Returns what the user may learn of shares, with `records/resolve`.
    public func response(to request: FetchShareMetadataRequest) async throws -> FetchShareMetadataRequest.Response {
        let isPartial = request.rootRecordDesiredKeys != nil
        let results = try await resolve(.recordsResolve, request) { [self] node throws(CabinetError) in
            let reader = reader(nil, in: .shared)
            var share = try Share(try reader.read(try node.required("share").object()))
            if let name = try node["rootRecordName"]?.string() {
                share = share.covering(RecordID(recordName: name, zoneID: share.recordID.zoneID))
            }
            let root = try node["rootRecord"].map { node throws(CabinetError) in
                try self.reader(share.recordID.zoneID, in: .shared, isPartial: isPartial).read(node.object())
            }
            return Share.Metadata(
                containerIdentifier: "", share: share,
                participant: try CloudKitShare.participant(resolved: node, userRecordName), rootRecord: root)
        }
        return .init(results)
    }

    /// Makes the user a participant of shares, with `records/accept`.
    public func response(to request: AcceptSharesRequest) async throws -> AcceptSharesRequest.Response {
        let items = FetchShareMetadataRequest(shortGUIDs: request.shortGUIDs)
        return .init(
            results: try await resolve(.recordsAccept, items) { [self] node throws(CabinetError) in
                var share = try Share(try reader(nil, in: .shared).read(try node.required("share").object()))
                if let name = try node["rootRecordName"]?.string() {
                    share = share.covering(RecordID(recordName: name, zoneID: share.recordID.zoneID))
                }
                return share.record
            })
    }

    /// Sends short GUIDs, and reads the result of each.
    private func resolve<Output>(
        _ operation: CloudKitOperation, _ request: FetchShareMetadataRequest,
        _ read: (JSONNode) throws(CabinetError) -> Output
    ) async throws -> [Result<Output, CabinetError>] {
        var results: [Result<Output, CabinetError>] = []
        for part in request.shortGUIDs.parts(of: CloudKitEndpoint.maximumCount) {
            let root = try await send(operation, to: .public, items: "results") { writer throws(CabinetError) in
                try writer.member("shortGUIDs", Array(part)) { writer, shortGUID throws(CabinetError) in
                    try writer.object { writer throws(CabinetError) in
                        writer.member("value", shortGUID)
                        guard request.shouldFetchRootRecord else { return }
                        writer.member("shouldFetchRootRecord", true)
                        if let keys = request.rootRecordDesiredKeys {
                            try writer.member("rootRecordDesiredKeys", keys)
                        }
                    }
                }
            }
            for item in try Self.items(root, "results", count: part.count) {
                let error = try CloudKitFailure.read(item)
                results.append(try error.map(Result.failure) ?? .success(read(item)))
            }
        }
        return results
    }
}

extension OwnerRule {
    /// Returns the same request with the placeholder for the user's own name.
    func canonical(_ request: FetchRecordsRequest) -> FetchRecordsRequest {
        if request.recordIDs.allSatisfy({ isCanonical($0) }) { return request }
        var request = request
        request.recordIDs = request.recordIDs.map(canonical)
        return request
    }

    /// Returns the same request with the placeholder for the user's own name.
    func canonical(_ request: ModifyRecordsRequest) -> ModifyRecordsRequest {
        let isOther = request.recordsToSave.contains { $0.containsRecordID { !isCanonical($0) } }
        if !isOther, request.recordIDsToDelete.allSatisfy({ isCanonical($0) }) { return request }
        var request = request
        request.recordsToSave = request.recordsToSave.map { $0.mappingRecordIDs(canonical) }
        request.recordIDsToDelete = request.recordIDsToDelete.map(canonical)
        return request
    }

    /// Returns the same request with the placeholder for the user's own name.
    func canonical<Request: QueryingRequest>(_ request: Request) -> Request {
        guard user != nil else { return request }
        var request = request
        if let zoneID = request.zoneID { request.zoneID = canonical(zoneID) }
        if let filter = canonical(request.query.filter) { request.query.filter = filter }
        return request
    }
}

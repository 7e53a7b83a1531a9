extension OwnerRule {
    /// Returns the same request with the placeholder for the user's own name.
    package func canonical(_ request: FetchRecordsRequest) -> FetchRecordsRequest {
        if request.reads == nil, request.recordIDs.allSatisfy({ isCanonical($0) }) { return request }
        var request = request
        request.reads = request.reads.map(canonical)
        request.recordIDs = request.recordIDs.map(canonical)
        return request
    }

    /// Returns the same request with the placeholder for the user's own name.
    package func canonical(_ request: ModifyRecordsRequest) -> ModifyRecordsRequest {
        let isOther = request.recordsToSave.contains { $0.containsRecordID { !isCanonical($0) } }
        let otherIDs = request.recordIDsToDelete + request.shortGUIDRecordIDs
        if !isOther, request.reads == nil, otherIDs.allSatisfy({ isCanonical($0) }) { return request }
        var request = request
        request.shortGUIDRecordIDs = request.shortGUIDRecordIDs.map(canonical)
        request.reads = request.reads.map(canonical)
        for position in request.recordsToSave.indices { request.recordsToSave[position].mapRecordIDs(canonical) }
        request.recordIDsToDelete = request.recordIDsToDelete.map(canonical)
        request.refusals = Dictionary(
            request.refusals.map { (canonical($0), $1) }, uniquingKeysWith: { first, _ in first })
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

    /// Returns the same request with the placeholder for the user's own name.
    package func canonical(_ request: FetchZoneChangesRequest) -> FetchZoneChangesRequest {
        var request = request
        request.zoneID = canonical(request.zoneID)
        return request
    }

    /// Returns the same request with the placeholder for the user's own name.
    func canonical(_ request: FetchLiveChangesRequest) -> FetchLiveChangesRequest {
        var request = request
        request.zoneID = request.zoneID.map(canonical)
        return request
    }

    /// Returns the same reads with the placeholder for the user's own name.
    func canonical(_ reads: TransactionReads) -> TransactionReads {
        var reads = reads
        for position in reads.records.indices {
            reads.records[position].recordID = canonical(reads.records[position].recordID)
        }
        reads.queries = reads.queries.map { canonical($0) }
        return reads
    }
}

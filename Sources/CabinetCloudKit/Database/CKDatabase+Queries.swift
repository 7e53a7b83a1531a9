import Cabinet
import Foundation

extension CKDatabase {
    /// Fetches the first page of a query's records.
    ///
    /// - Returns: The records with their results, and a cursor if there are more.
    public func records(
        matching query: CKQuery, inZoneWith zoneID: CKRecordZone.ID? = nil, desiredKeys: [CKRecord.FieldKey]? = nil,
        resultsLimit: Int = CKQueryOperation.maximumResults
    ) async throws -> (
        matchResults: [(CKRecord.ID, Result<CKRecord, any Error>)], queryCursor: CKQueryOperation.Cursor?
    ) {
        let page = try await page(
            of: query, inZoneWith: zoneID, desiredKeys: desiredKeys, resultsLimit: resultsLimit)
        return (page.records.map { ($0.recordID, .success($0)) }, page.cursor)
    }

    /// Fetches the next page of a query's records.
    public func records(
        continuingMatchFrom queryCursor: CKQueryOperation.Cursor, desiredKeys: [CKRecord.FieldKey]? = nil,
        resultsLimit: Int = CKQueryOperation.maximumResults
    ) async throws -> (
        matchResults: [(CKRecord.ID, Result<CKRecord, any Error>)], queryCursor: CKQueryOperation.Cursor?
    ) {
        let page = try await page(after: queryCursor, desiredKeys: desiredKeys, resultsLimit: resultsLimit)
        return (page.records.map { ($0.recordID, .success($0)) }, page.cursor)
    }

    /// Fetches all records of a query.
    @available(*, deprecated, message: "Use records(matching:inZoneWith:desiredKeys:resultsLimit:).")
    public func records(matching query: CKQuery, inZoneWith zoneID: CKRecordZone.ID?) async throws -> [CKRecord] {
        try await allRecords(query, zoneID)
    }

    /// Fetches all records of a query.
    @available(*, deprecated, message: "Use records(matching:inZoneWith:desiredKeys:resultsLimit:).")
    public func perform(_ query: CKQuery, inZoneWith zoneID: CKRecordZone.ID?) async throws -> [CKRecord] {
        try await allRecords(query, zoneID)
    }

    /// Fetches all records of a query, and passes them to a closure.
    @preconcurrency
    public func perform(
        _ query: CKQuery, inZoneWith zoneID: CKRecordZone.ID?,
        completionHandler: @escaping @Sendable ([CKRecord]?, (any Error)?) -> Void
    ) {
        complete(completionHandler) { try await self.allRecords(query, zoneID) }
    }

    /// Fetches the first page of a query's records, and passes it to a closure.
    @preconcurrency
    public func fetch(
        withQuery query: CKQuery, inZoneWith zoneID: CKRecordZone.ID? = nil, desiredKeys: [CKRecord.FieldKey]? = nil,
        resultsLimit: Int = CKQueryOperation.maximumResults,
        completionHandler:
            @escaping @Sendable (
                Result<
                    (
                        matchResults: [(CKRecord.ID, Result<CKRecord, any Error>)],
                        queryCursor: CKQueryOperation.Cursor?
                    ), any Error
                >
            ) -> Void
    ) {
        complete(result: completionHandler) {
            try await self.records(
                matching: query, inZoneWith: zoneID, desiredKeys: desiredKeys, resultsLimit: resultsLimit)
        }
    }

    /// Fetches the next page of a query's records, and passes it to a closure.
    @preconcurrency
    public func fetch(
        withCursor queryCursor: CKQueryOperation.Cursor, desiredKeys: [CKRecord.FieldKey]? = nil,
        resultsLimit: Int = CKQueryOperation.maximumResults,
        completionHandler:
            @escaping @Sendable (
                Result<
                    (
                        matchResults: [(CKRecord.ID, Result<CKRecord, any Error>)],
                        queryCursor: CKQueryOperation.Cursor?
                    ), any Error
                >
            ) -> Void
    ) {
        complete(result: completionHandler) {
            try await self.records(
                continuingMatchFrom: queryCursor, desiredKeys: desiredKeys, resultsLimit: resultsLimit)
        }
    }

    private func allRecords(_ query: CKQuery, _ zoneID: CKRecordZone.ID?) async throws -> [CKRecord] {
        var page = try await page(of: query, inZoneWith: zoneID, desiredKeys: nil, resultsLimit: 0)
        var records = page.records
        while let cursor = page.cursor {
            page = try await self.page(after: cursor, desiredKeys: nil, resultsLimit: 0)
            records += page.records
        }
        return records
    }
}

extension CKDatabase {
    /// Fetches the first page of a query.
    func page(
        of query: CKQuery, inZoneWith zoneID: CKRecordZone.ID?, desiredKeys: [CKRecord.FieldKey]?, resultsLimit: Int
    ) async throws -> (records: [CKRecord], cursor: CKQueryOperation.Cursor?) {
        try await CKError.translate {
            let store = try store()
            let query = try query.converted(of: store.user)
            try await store.rules.check(query, zoneID: zoneID?.value, in: store.database)
            let page = try await store.database.records(
                matching: query, inZoneWith: zoneID?.value, desiredKeys: desiredKeys, resultsLimit: resultsLimit)
            let records = try page.matchResults.map { try $0.1.get() }
            return (try await store.objects(records, desiredKeys), page.queryCursor.map(CKQueryCursor.init))
        }
    }

    /// Fetches the page after a cursor.
    func page(
        after cursor: CKQueryOperation.Cursor, desiredKeys: [CKRecord.FieldKey]?, resultsLimit: Int
    ) async throws -> (records: [CKRecord], cursor: CKQueryOperation.Cursor?) {
        try await CKError.translate {
            let store = try store()
            let page = try await store.database.records(
                continuingMatchFrom: cursor.value, desiredKeys: desiredKeys, resultsLimit: resultsLimit)
            let records = try page.matchResults.map { try $0.1.get() }
            return (try await store.objects(records, desiredKeys), page.queryCursor.map(CKQueryCursor.init))
        }
    }
}

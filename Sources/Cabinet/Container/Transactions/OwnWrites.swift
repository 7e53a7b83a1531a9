import Foundation

/// The writes of a transaction, which are merged into the results of its queries.
struct OwnWrites: Sendable {
    private var writes: [(id: RecordID, record: Record?)] = []
    /// The records that the writes replace, as they were read.
    private var replaced: [RecordID: StoredRecord] = [:]

    /// Selects the writes in a zone, or in all zones if it is `nil`.
    init(_ content: Database.Transaction.Content, in zoneID: RecordZone.ID?) {
        for id in content.writtenIDs where zoneID == nil || id.zoneID == zoneID {
            writes.append((id, content.writes[id] ?? nil))
            replaced[id] = content.known[id]?.record?.unchanged
        }
    }

    var isEmpty: Bool { writes.isEmpty }
    var count: Int { writes.count }

    static let refusal = CabinetError(
        .invalidArguments,
        "The transaction has written records, and a query with a key path through references cannot show them. Query before the first write."
    )

    /// Returns the result of a query with the writes.
    ///
    /// - Parameters:
    ///   - records: The records of the service.
    ///   - basis: The state of the database that they are of.
    ///   - request: The query.
    ///   - user: The record name of the user.
    func merged(
        into records: [Record], _ basis: LiveBasis, of request: QueryRecordsRequest, user: String
    ) throws -> [Record] {
        var basis = basis
        let own = writes.compactMap(\.record).filter { $0.recordType.hasSameScalars(as: request.query.recordType) }
        for record in own {
            // A field, or the type, may be new.
            for (key, value) in zip(record.fields.names.names, record.fields.values) where basis.fields[key] == nil {
                if let value { basis.fields[key] = value.fieldType }
            }
        }
        guard var result = try LiveResult(request, records, basis) else { throw Self.refusal }
        let meter = WorkMeter(limit: Limits.default.workPerRequest, observesTask: true)
        let now = Date()
        _ = try WorkMeter.$current.withValue(meter) {
            try result.apply(
                writes.enumerated().map { position, write in
                    // New records come after all others.
                    let number = Int64.max - Int64(writes.count - position)
                    return (write.id, write.record.map { $0.stored(replacing: replaced[write.id], number, user, now) })
                })
        }
        let written = Dictionary(writes.map { ($0.id, $0.record) }, uniquingKeysWith: { first, _ in first })
        let read = Dictionary(records.map { ($0.recordID, $0) }, uniquingKeysWith: { first, _ in first })
        return result.records.map { (written[$0.recordID] ?? nil) ?? read[$0.recordID] ?? Record($0) }
    }
}

extension Record {
    /// Returns the record as a store might have it, to compare it with others.
    fileprivate func stored(
        replacing old: StoredRecord?, _ number: Int64, _ user: String, _ now: Date
    ) -> StoredRecord {
        let header = header
        return StoredRecord(
            recordID: recordID, recordType: recordType, sequenceNumber: number,
            insertionNumber: old?.insertionNumber ?? number, creationDate: header.creationDate ?? now,
            creatorName: header.creatorUserRecordID?.recordName ?? user,
            modificationDate: header.modificationDate ?? now,
            lastModifierName: header.lastModifiedUserRecordID?.recordName ?? user,
            parentName: header.parent?.recordID.recordName, fields: fields)
    }
}

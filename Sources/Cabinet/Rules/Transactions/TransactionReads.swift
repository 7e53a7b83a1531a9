/// The reads of a transaction, with what it takes to see whether a database would still answer them in the same way.
///
/// Each request of a transaction has the reads before it. They are judged in the snapshot that answers the request, so the records
/// of all reads are of one state. At last they are judged in the storage transaction that applies the writes.
struct TransactionReads: Sendable, Hashable {
    /// A point of the change feed at which all reads had these results; `nil` before the first one.
    var end: TimelinePoint?
    /// The records that were read by ID or found by a query, each once.
    var records: [ReadRecord] = []
    /// The queries.
    var queries: [ReadQuery] = []

    /// The number of records and queries.
    var count: Int { records.count + queries.count }

    /// The zones of the records and queries.
    var zoneIDs: [RecordZone.ID] { records.map(\.recordID.zoneID) + queries.compactMap(\.zoneID) }

    /// The records with their change tags.
    var tags: [(recordID: RecordID, changeTag: String?)] { records.map { ($0.recordID, $0.changeTag) } }

    /// The maximum of ``count``, which bounds the work of each request of a transaction.
    static let maximumCount = 4_000

    /// The error of reads beyond the maximum.
    static let excess = CabinetError(
        .limitExceeded,
        "The transaction has read more than \(maximumCount) records and queries. Read fewer, or several records with one query."
    )
}

/// A record that a transaction has read.
struct ReadRecord: Sendable, Hashable {
    var recordID = RecordID(recordName: "")
    /// The change tag; `nil` if the record did not exist.
    var changeTag: String?
}

/// A query of a transaction, whose records are among the transaction's.
struct ReadQuery: Sendable, Hashable {
    var query = Query(recordType: "")
    var zoneID: RecordZone.ID?
}

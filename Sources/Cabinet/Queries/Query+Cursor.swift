extension Query {
    /// The position at which the next page of a query's records begins.
    ///
    /// A cursor is a position in the order of the records, not a number of records. Records that other clients save or
    /// delete do not shift it. A cursor is opaque. It can be encoded, stored, and decoded after a restart.
    /// ``Database/records(continuingMatchFrom:desiredKeys:resultsLimit:)`` fetches the page.
    public struct Cursor: Sendable, Hashable {
        /// The query that the cursor continues.
        let query: Query

        /// The zone that the query searches, or `nil` for all.
        let zoneID: RecordZone.ID?

        /// The position after which the next page begins.
        let position: QueryPosition

        /// The database of the query.
        let origin: Origin

        init(query: Query, zoneID: RecordZone.ID?, position: QueryPosition, origin: Origin) {
            self.query = query
            self.zoneID = zoneID
            self.position = position
            self.origin = origin
        }
    }
}

extension Query.Cursor {
    /// The database of a cursor.
    struct Origin: Sendable, Hashable, Codable {
        /// The container's identifier.
        let containerIdentifier: String

        /// The raw value of the database's ``DatabaseScope``.
        let scope: Int

        /// The record name of the database's user, or `nil` for the public database.
        let userRecordName: String?
    }
}

/// A cursor is coded as one string. A position in an order must be restored exactly.
extension Query.Cursor: Codable {
    private struct Content: OpaqueContent {
        static let name = "a cursor of a query"
        static let currentVersion = 1
        var version = Self.currentVersion
        let query: Query
        let zoneID: RecordZone.ID?
        let position: QueryPosition
        let origin: Origin

        var fault: String? {
            position.marker != nil || position.values.count == query.sortDescriptors.count
                ? nil : "its position does not fit its sort keys"
        }
    }

    /// Decodes a cursor.
    ///
    /// - Throws: `DecodingError` if the data is not a cursor of this version.
    public init(from decoder: any Decoder) throws {
        let content = try Content(opaqueFrom: decoder)
        self.init(
            query: content.query, zoneID: content.zoneID, position: content.position, origin: content.origin)
    }

    /// Encodes the cursor, as one string.
    public func encode(to encoder: any Encoder) throws {
        try Content(query: query, zoneID: zoneID, position: position, origin: origin).encodeOpaque(to: encoder)
    }
}

extension Query.Cursor {
    /// Returns the position with another insertion number among the records that have the same sort keys.
    ///
    /// - Parameters:
    ///   - insertionNumber: The number after which the next page begins.
    ///   - query: A query with the same sort keys in other directions; `nil` for the cursor's own.
    package func moved(toInsertionNumber insertionNumber: Int64, of query: Query? = nil) -> Self {
        Self(
            query: query ?? self.query, zoneID: zoneID,
            position: QueryPosition(values: position.values, insertionNumber: insertionNumber), origin: origin)
    }
}

extension Query.Cursor: CustomStringConvertible {
    /// The query's type and the insertion number of the record before the next page, for logs.
    public var description: String { "\(query.recordType) after \(position.insertionNumber)" }
}

/// A position in the order of a query's records: the sort keys of the record before it, and that record's insertion
/// number.
public struct QueryPosition: Sendable, Hashable, Codable {
    /// The values of the plan's sort keys, in their order, or `nil` for a key without a value.
    public var values: [FieldValue?]

    /// The record's insertion number, which decides between records whose sort keys are equal.
    public var insertionNumber: Int64

    /// The text by which another server continues a query; `nil` for a position in this order.
    package var marker: String?

    /// Creates a position.
    public init(values: [FieldValue?], insertionNumber: Int64) {
        self.values = values
        self.insertionNumber = insertionNumber
    }

    /// Creates the position that a marker of another server stands for.
    package init(marker: String) {
        self.init(values: [], insertionNumber: 0)
        self.marker = marker
    }
}

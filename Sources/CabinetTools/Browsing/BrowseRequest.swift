package import Cabinet

/// A request of a screen to the store, which its session carries out.
package enum BrowseRequest: Sendable, Equatable {
    case schema
    case count(RecordSelection)
    case rows(RecordSelection, keys: [String], chunk: Int, after: Query.Cursor?)
    /// The position of a chunk that begins at a number of rows before the end.
    case start(RecordSelection, chunk: Int, rowsToEnd: Int)
    /// Cancels the earlier requests of the screen.
    case cancelEarlier
    case record(RecordID)
    case save(Record)
    case delete(RecordID)
    case zones
    case addZone(String)
    case deleteZone(RecordZone.ID)
    /// The last changes, and then each further one.
    case changes(RecordZone.ID)
    /// Adds record types and fields, which are written in the schema language.
    case define(String)
    case rename(SchemaPart, to: String)
    /// Counts the values or records that a drop would lose.
    case losses(SchemaPart)
    /// Drops a record type or field, unless it has more values or records than were counted.
    case drop(SchemaPart, losingAtMost: Int)
    /// Compares the schema of another store with this one.
    case compare(store: String)
    /// Deploys the schema of this store to another one.
    case deploy(store: String)
}

/// The result of a request.
package enum BrowseResult: Sendable {
    case schema(Schema)
    case count(RecordSelection, Int)
    case rows(RecordSelection, chunk: Int, [Record], next: Query.Cursor?)
    case start(RecordSelection, chunk: Int, Query.Cursor?)
    case record(Record)
    case saved(Record)
    case deleted(RecordID)
    case zones([RecordZone.ID])
    case changes([BrowseChange])
    case losses(SchemaPart, Int)
    case difference(SchemaDifference)
    case deployed
    case failed(BrowseRequest, String)
}

/// A line of the list of changes.
package struct BrowseChange: Sendable, Hashable {
    package let recordID: RecordID
    package let recordType: Record.RecordType
    /// The date of a saved record; `nil` for a deletion.
    package let date: String?
}

extension BrowseChange {
    init(_ change: OrderedChanges.Change) {
        switch change {
        case .saved(let record):
            (recordID, recordType) = (record.recordID, record.recordType)
            date = record.modificationDate.map(RecordJSON.shown) ?? ""
        case .deleted(let deletion):
            (recordID, recordType, date) = (deletion.recordID, deletion.recordType, nil)
        }
    }
}

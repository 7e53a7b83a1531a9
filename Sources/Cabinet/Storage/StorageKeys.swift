/// The keys that a request loads before it decides anything.
public struct StorageKeys: Sendable {
    /// The records to load; an ID may occur twice.
    public var records: [RecordID]

    /// The fields to load of each record, or `nil` for all; some may not be in the schema.
    public var fields: [Record.FieldKey]?

    /// The records of which to load only whether they are stored; an ID may occur twice.
    public var existing: [RecordID]

    /// The entries to load; a key may occur twice.
    public var entries: [StorageKey]

    /// The ranges of entries to load; nearly always few, or none, lie in them.
    public var entryRanges: [Range<StorageKey>]

    /// Creates keys; by default none.
    ///
    /// - Parameters:
    ///   - records: The records to load.
    ///   - fields: The fields to load of each record, or `nil` for all.
    ///   - existing: The records of which to load only whether they are stored.
    ///   - entries: The entries to load.
    ///   - entryRanges: The ranges of entries to load.
    public init(
        records: [RecordID] = [], fields: [Record.FieldKey]? = nil, existing: [RecordID] = [],
        entries: [StorageKey] = [], entryRanges: [Range<StorageKey>] = []
    ) {
        self.records = records
        self.fields = fields
        self.existing = existing
        self.entries = entries
        self.entryRanges = entryRanges
    }
}

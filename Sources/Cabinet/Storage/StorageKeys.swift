/// The keys that a request loads before it decides anything.
public struct StorageKeys: Sendable {
    /// The records to load; an ID may occur twice.
    public var records: [RecordID]

    /// The fields to load of each record, or `nil` for all; the schema may lack some of them.
    public var fields: [Record.FieldKey]?

    /// Whether the records are probably not stored, because the request creates them.
    ///
    /// A backend may then plan the write as if they were missing, and run it again if one of them turns out to be stored.
    public var areRecordsNew = false

    /// The records whose existence to check, without loading them; an ID may occur twice.
    public var existing: [RecordID]

    /// The entries to load; a key may occur twice.
    public var entries: [StorageKey]

    /// The ranges of entries to load; most hold few entries or none.
    public var entryRanges: [Range<StorageKey>]

    /// Creates keys; by default none.
    ///
    /// - Parameters:
    ///   - records: The records to load.
    ///   - fields: The fields to load of each record, or `nil` for all.
    ///   - existing: The records whose existence to check, without loading them.
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

/// The values that a view has loaded for a request.
public struct StorageValues: Sendable {
    /// For each of ``StorageKeys/records`` the record, in the same order; `nil` where none is stored.
    public var records: [StoredRecord?]

    /// For each of ``StorageKeys/existing`` whether the record is stored, in the same order.
    public var existing: [Bool]

    /// For each of ``StorageKeys/entries`` its text, in the same order; `nil` where none is stored.
    public var entries: [String?]

    /// For each of ``StorageKeys/entryRanges`` the entries in it, in the same order, each in ascending order of the keys.
    public var entryRanges: [[StorageEntry]]

    /// The record types, their fields and indexes, as ``StorageMutation/addFields(_:to:)`` and
    /// ``StorageMutation/setIndexes(_:of:)`` have set them.
    public var schema: StoredSchema

    /// In a transaction, a name of this life of the store; `nil` in a view, and for a store of which no older copy can be put back.
    ///
    /// It is another one after an older copy of the store may have been put back, at the latest after the store was opened again. The
    /// core begins a timeline with each, so that change tokens of a lost future expire. At most 200 ASCII characters.
    public var origin: String?

    /// Creates values.
    ///
    /// - Parameters:
    ///   - records: The records, one for each ID.
    ///   - existing: Whether records are stored, one for each ID.
    ///   - entries: The texts of entries, one for each key.
    ///   - entryRanges: The entries of ranges, one array for each range.
    ///   - schema: The schema.
    ///   - origin: A name of this life of the store.
    public init(
        records: [StoredRecord?], existing: [Bool], entries: [String?], entryRanges: [[StorageEntry]],
        schema: StoredSchema, origin: String? = nil
    ) {
        self.records = records
        self.existing = existing
        self.entries = entries
        self.entryRanges = entryRanges
        self.schema = schema
        self.origin = origin
    }
}

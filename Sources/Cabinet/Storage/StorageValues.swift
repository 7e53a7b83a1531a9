/// The values that a view has loaded for a request.
public struct StorageValues: Sendable {
    /// The record for each of ``StorageKeys/records``, in the same order; `nil` if it is not stored.
    public var records: [StoredRecord?]

    /// Whether the record is stored, for each of ``StorageKeys/existing``, in the same order.
    public var existing: [Bool]

    /// The text for each of ``StorageKeys/entries``, in the same order; `nil` if none is stored.
    public var entries: [String?]

    /// The entries in each of ``StorageKeys/entryRanges``, in the same order, each in ascending order of the keys.
    public var entryRanges: [[StorageEntry]]

    /// The record types, their fields and indexes, as ``StorageMutation/addFields(_:to:)`` and
    /// ``StorageMutation/setIndexes(_:of:)`` have set them.
    public var schema: StoredSchema

    /// The ID of the store's incarnation, in a transaction; `nil` in a view.
    ///
    /// It changes when an older copy of the store may have been restored, at the latest when the store is opened again. Openings
    /// that exist at the same time may have the same ID or each its own: a database begins a timeline only with the first write
    /// under an ID. It is `nil` for a store without restorable copies.
    ///
    /// The core begins a timeline with each new ID, so that change tokens of a lost history expire. The ID has at most 200 ASCII characters.
    public var origin: String?

    /// Creates values.
    ///
    /// - Parameters:
    ///   - records: The records, one for each ID.
    ///   - existing: Whether records are stored, one for each ID.
    ///   - entries: The texts of entries, one for each key.
    ///   - entryRanges: The entries of ranges, one array for each range.
    ///   - schema: The schema.
    ///   - origin: The ID of the store's incarnation.
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

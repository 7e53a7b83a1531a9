/// Names under which CloudKit has these types, and its functions for fields.
extension Record {
    /// The identity of a record: CloudKit's `CKRecord.ID`.
    public typealias ID = RecordID

    /// A reference to another record: CloudKit's `CKRecord.Reference`.
    public typealias Reference = Cabinet.Reference

    /// A file that belongs to a record: CloudKit's `CKAsset`.
    public typealias Asset = Cabinet.Asset

    /// The keys of system fields, for filters and sort keys: CloudKit's `CKRecord.SystemFieldKey`.
    ///
    /// ```swift
    /// let newest = Query(
    ///     recordType: "Notes",
    ///     sortedBy: [.descending(Record.SystemFieldKey.creationDate)])
    /// ```
    public enum SystemFieldKey {
        /// The key of the record's ID.
        public static let recordID: FieldKey = SystemField.recordID.rawValue
        /// The key of the date on which the record was first saved.
        public static let creationDate: FieldKey = SystemField.creationDate.rawValue
        /// The key of the date on which the record was last saved.
        public static let modificationDate: FieldKey = SystemField.modificationDate.rawValue
        /// The key of the user who first saved the record.
        public static let creatorUserRecordID: FieldKey = SystemField.creatorUserRecordID.rawValue
        /// The key of the user who last saved the record.
        public static let lastModifiedUserRecordID: FieldKey = SystemField.lastModifiedUserRecordID.rawValue
        /// The key of the record's parent.
        public static let parent: FieldKey = SystemField.parent.rawValue
    }

    /// Returns the value of a field, as the subscript does.
    public func object(forKey key: FieldKey) -> (any RecordValue)? { self[key] }

    /// Sets the value of a field, as the subscript does; `nil` removes it.
    public mutating func setObject(_ object: (any RecordValue)?, forKey key: FieldKey) { self[key] = object }

    /// Returns the value of a field, as the subscript does.
    public func value(forKey key: FieldKey) -> (any RecordValue)? { self[key] }

    /// Sets the value of a field, as the subscript does; `nil` removes it.
    public mutating func setValue(_ value: (any RecordValue)?, forKey key: FieldKey) { self[key] = value }
}

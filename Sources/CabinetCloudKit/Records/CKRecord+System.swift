extension CKRecord {
    /// The record types of the system.
    public enum SystemType {
        /// The type of users' own records.
        public static let userRecord: CKRecord.RecordType = "Users"
        /// The type of shares.
        public static let share: CKRecord.RecordType = "cloudkit.share"
    }

    /// The keys of system fields, for predicates and sort descriptors.
    public enum SystemFieldKey {
        /// The key of the record's ID.
        public static let recordID: CKRecord.FieldKey = "recordID"
        /// The key of the user who saved the record first.
        public static let creatorUserRecordID: CKRecord.FieldKey = "creatorUserRecordID"
        /// The key of the date of the first save.
        public static let creationDate: CKRecord.FieldKey = "creationDate"
        /// The key of the user who saved the record last.
        public static let lastModifiedUserRecordID: CKRecord.FieldKey = "lastModifiedUserRecordID"
        /// The key of the date of the last save.
        public static let modificationDate: CKRecord.FieldKey = "modificationDate"
        /// The key of the record's parent.
        public static let parent: CKRecord.FieldKey = "parent"
        /// The key of the record's share.
        public static let share: CKRecord.FieldKey = "share"
    }
}

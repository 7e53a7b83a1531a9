import Foundation

extension StoredRecord {
    /// The values that a record often shares with adjacent ones: its type, its users and its parent.
    ///
    /// A backend that reads many records creates one object for a run of records with the same values.
    public final class Attribution: Sendable {
        /// The name of the record's type.
        public let recordType: Record.RecordType

        /// The record name of the user who first saved the record.
        public let creatorName: String

        /// The record name of the user who last saved the record.
        public let lastModifierName: String

        /// The name of the record's parent, which is in the same zone.
        public let parentName: String?

        /// The name of the share whose root the record is, in a record without hidden fields, as clients see it.
        let shareName: String?

        /// Creates the values that several records share.
        public convenience init(
            recordType: Record.RecordType, creatorName: String, lastModifierName: String, parentName: String? = nil
        ) {
            self.init(
                recordType: recordType, creatorName: creatorName, lastModifierName: lastModifierName,
                parentName: parentName, shareName: nil)
        }

        init(
            recordType: Record.RecordType, creatorName: String, lastModifierName: String, parentName: String?,
            shareName: String?
        ) {
            self.recordType = recordType
            self.creatorName = creatorName
            self.lastModifierName = lastModifierName
            self.parentName = parentName
            self.shareName = shareName
        }

        /// Returns the same values but for the given ones.
        func with(
            recordType: Record.RecordType? = nil, creatorName: String? = nil, lastModifierName: String? = nil,
            parentName: String?? = nil, shareName: String?? = nil
        ) -> Attribution {
            Attribution(
                recordType: recordType ?? self.recordType, creatorName: creatorName ?? self.creatorName,
                lastModifierName: lastModifierName ?? self.lastModifierName, parentName: parentName ?? self.parentName,
                shareName: shareName ?? self.shareName)
        }
    }
}

extension StoredRecord.Attribution: Hashable {
    /// Returns a Boolean value that indicates whether type, users, parent and share are the same.
    public static func == (left: StoredRecord.Attribution, right: StoredRecord.Attribution) -> Bool {
        left === right
            || left.recordType == right.recordType && left.creatorName == right.creatorName
                && left.lastModifierName == right.lastModifierName && left.parentName == right.parentName
                && left.shareName == right.shareName
    }

    /// Hashes what `==` compares.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(recordType)
        hasher.combine(creatorName)
        hasher.combine(lastModifierName)
        hasher.combine(parentName)
        hasher.combine(shareName)
    }
}

extension StoredRecord {
    /// A record without fields, which stands where any record will do.
    package static let blank = StoredRecord(
        recordID: RecordID(recordName: "blank"), recordType: "", sequenceNumber: 0, creationDate: .distantPast,
        creatorName: "", modificationDate: .distantPast, lastModifierName: "", parentName: nil, fields: .empty)
}

public import Foundation

/// A record as a backend keeps it.
public struct StoredRecord: Sendable, Hashable {
    /// The record's identity.
    public var recordID: RecordID

    /// The name of the record's type.
    public var recordType: Record.RecordType

    /// The number of the record's last change, unique in its database; the change tag is made of it.
    public var sequenceNumber: Int64

    /// When the record was first saved.
    public var creationDate: Date

    /// The record name of the user who first saved the record.
    public var creatorName: String

    /// When the record was last saved.
    public var modificationDate: Date

    /// The record name of the user who last saved the record.
    public var lastModifierName: String

    /// The name of the record's parent, which is in the same zone.
    public var parentName: String?

    /// The record's fields.
    public var fields: RecordFields

    /// Creates a stored record.
    public init(
        recordID: RecordID, recordType: Record.RecordType, sequenceNumber: Int64, creationDate: Date,
        creatorName: String, modificationDate: Date, lastModifierName: String, parentName: String? = nil,
        fields: RecordFields
    ) {
        self.recordID = recordID
        self.recordType = recordType
        self.sequenceNumber = sequenceNumber
        self.creationDate = creationDate
        self.creatorName = creatorName
        self.modificationDate = modificationDate
        self.lastModifierName = lastModifierName
        self.parentName = parentName
        self.fields = fields
    }
}

extension Record.Header {
    init(_ stored: StoredRecord) {
        let zoneID = stored.recordID.zoneID
        recordType = stored.recordType
        recordID = stored.recordID
        recordChangeTag = stored.changeTag
        creationDate = stored.creationDate
        creatorUserRecordID = RecordID(recordName: stored.creatorName)
        modificationDate = stored.modificationDate
        lastModifiedUserRecordID = RecordID(recordName: stored.lastModifierName)
        parent = stored.parentName.map {
            Reference(recordID: RecordID(recordName: $0, zoneID: zoneID), action: .none)
        }
    }
}

extension StoredRecord {
    /// The change tag that clients see: the sequence number to the base of 36, short and comparable only for equality.
    var changeTag: String { String(sequenceNumber, radix: 36) }
}

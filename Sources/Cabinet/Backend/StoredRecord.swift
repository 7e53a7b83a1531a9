public import Foundation

/// A record as a backend keeps it.
///
/// A copy costs one pointer, however many fields there are: records are passed on and collected far more often than changed.
public struct StoredRecord: Sendable {
    /// The content, shared by copies until one of them changes.
    private var storage: Storage

    /// Creates a stored record.
    public init(
        recordID: RecordID, recordType: Record.RecordType, sequenceNumber: Int64, creationDate: Date,
        creatorName: String, modificationDate: Date, lastModifierName: String, parentName: String? = nil,
        fields: RecordFields
    ) {
        storage = Storage(
            Content(
                recordID: recordID, recordType: recordType, sequenceNumber: sequenceNumber, creationDate: creationDate,
                creatorName: creatorName, modificationDate: modificationDate, lastModifierName: lastModifierName,
                parentName: parentName, fields: fields))
    }

    private struct Content: Hashable, Codable {
        var recordID: RecordID
        var recordType: Record.RecordType
        var sequenceNumber: Int64
        var creationDate: Date
        var creatorName: String
        var modificationDate: Date
        var lastModifierName: String
        var parentName: String?
        var fields: RecordFields
    }

    // Unchecked, and safe: a storage is changed only by `content`, which first makes sure that no other record, and so no
    // other task, refers to it.
    private final class Storage: @unchecked Sendable {
        // Nobody changes a content that somebody else reads, so the check at run time would find nothing.
        @exclusivity(unchecked) var content: Content

        init(_ content: Content) {
            self.content = content
        }
    }

    private var content: Content {
        // Yielded, not returned: a copy would retain every part of it.
        _read { yield storage.content }
        _modify {
            if !isKnownUniquelyReferenced(&storage) { storage = Storage(storage.content) }
            yield &storage.content
        }
    }
}

extension StoredRecord {
    /// The record's identity.
    public var recordID: RecordID {
        get { content.recordID }
        set { content.recordID = newValue }
    }

    /// The name of the record's type.
    public var recordType: Record.RecordType {
        get { content.recordType }
        set { content.recordType = newValue }
    }

    /// The number of the record's last change, unique in its database; the change tag is made of it.
    public var sequenceNumber: Int64 {
        get { content.sequenceNumber }
        set { content.sequenceNumber = newValue }
    }

    /// When the record was first saved.
    public var creationDate: Date {
        get { content.creationDate }
        set { content.creationDate = newValue }
    }

    /// The record name of the user who first saved the record.
    public var creatorName: String {
        get { content.creatorName }
        set { content.creatorName = newValue }
    }

    /// When the record was last saved.
    public var modificationDate: Date {
        get { content.modificationDate }
        set { content.modificationDate = newValue }
    }

    /// The record name of the user who last saved the record.
    public var lastModifierName: String {
        get { content.lastModifierName }
        set { content.lastModifierName = newValue }
    }

    /// The name of the record's parent, which is in the same zone.
    public var parentName: String? {
        get { content.parentName }
        set { content.parentName = newValue }
    }

    /// The record's fields.
    public var fields: RecordFields {
        // Both yield the fields in place: a copy would retain all of them to look at one, or copy all to change one.
        _read { yield content.fields }
        _modify { yield &content.fields }
    }
}

extension StoredRecord: Hashable {
    /// Whether both records have the same content.
    public static func == (left: Self, right: Self) -> Bool {
        left.storage === right.storage || left.storage.content == right.storage.content
    }

    /// Hashes what `==` compares.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(storage.content)
    }
}

extension StoredRecord: Codable {
    /// Decodes what ``encode(to:)`` wrote.
    public init(from decoder: any Decoder) throws {
        storage = Storage(try Content(from: decoder))
    }

    /// Encodes everything that a store keeps of the record.
    public func encode(to encoder: any Encoder) throws {
        try content.encode(to: encoder)
    }
}

extension Record.Header {
    init(_ stored: StoredRecord) {
        recordType = stored.recordType
        recordID = stored.recordID
        recordChangeTag = stored.changeTag
        creationDate = stored.creationDate
        creatorUserRecordID = RecordID(recordName: stored.creatorName)
        modificationDate = stored.modificationDate
        lastModifiedUserRecordID = RecordID(recordName: stored.lastModifierName)
        parent = stored.parent
    }
}

extension StoredRecord {
    /// The change tag that clients see: the sequence number to the base of 36, short and comparable only for equality.
    var changeTag: String { String(sequenceNumber, radix: 36) }

    /// The parent as clients see it.
    var parent: Reference? {
        parentName.map { Reference(recordID: RecordID(recordName: $0, zoneID: recordID.zoneID), action: .none) }
    }
}

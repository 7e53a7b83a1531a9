public import Foundation

/// A record as a backend keeps it.
///
/// Copying a record copies one pointer, regardless of the number of fields: records are passed on far more often than they
/// are changed.
public struct StoredRecord: Sendable {
    /// The content, shared by copies until one of them changes.
    private var storage: Storage

    /// Creates a stored record.
    ///
    /// The insertion number is by default the sequence number, as in a record that is saved for the first time.
    public init(
        recordID: RecordID, recordType: Record.RecordType, sequenceNumber: Int64, insertionNumber: Int64? = nil,
        creationDate: Date,
        creatorName: String, modificationDate: Date, lastModifierName: String, parentName: String? = nil,
        fields: FieldValues
    ) {
        self.init(
            recordID: recordID, sequenceNumber: sequenceNumber, insertionNumber: insertionNumber ?? sequenceNumber,
            creationDate: creationDate, modificationDate: modificationDate,
            attribution: Attribution(
                recordType: recordType, creatorName: creatorName, lastModifierName: lastModifierName,
                parentName: parentName),
            fields: fields)
    }

    /// Creates a stored record that shares its type, its users and its parent with other records.
    public init(
        recordID: RecordID, sequenceNumber: Int64, insertionNumber: Int64, creationDate: Date,
        modificationDate: Date, attribution: Attribution, fields: FieldValues
    ) {
        storage = Storage(
            Content(
                recordID: recordID, sequenceNumber: sequenceNumber, insertionNumber: insertionNumber,
                creationDate: creationDate, modificationDate: modificationDate, attribution: attribution,
                fields: fields))
    }

    private struct Content: Hashable {
        var recordID: RecordID
        var sequenceNumber: Int64
        var insertionNumber: Int64
        var creationDate: Date
        var modificationDate: Date
        var attribution: Attribution
        var fields: FieldValues
    }

    // Unchecked, and safe: a content is changed only through `ownStorage`, which first makes sure that no other record, and so
    // no other task, refers to it.
    private final class Storage: @unchecked Sendable {
        // A content that another task reads is never changed, so the check at run time would find nothing.
        @exclusivity(unchecked) var content: Content

        init(_ content: Content) {
            self.content = content
        }
    }

    /// The storage, after it was copied if another record refers to it too.
    private var ownStorage: Storage {
        mutating get {
            if !isKnownUniquelyReferenced(&storage) { storage = Storage(storage.content) }
            return storage
        }
    }
}

extension StoredRecord {
    /// The record's identity.
    public var recordID: RecordID {
        get { storage.content.recordID }
        set { ownStorage.content.recordID = newValue }
    }

    /// The values that the record may share with others.
    var attribution: Attribution { storage.content.attribution }

    /// The name of the record's type.
    public var recordType: Record.RecordType {
        get { storage.content.attribution.recordType }
        set { ownStorage.content.attribution = attribution.with(recordType: newValue) }
    }

    /// The number of the record's last change, unique in its database.
    ///
    /// The change tag is derived from this number, the modification date and the last modifier.
    public var sequenceNumber: Int64 {
        get { storage.content.sequenceNumber }
        set { ownStorage.content.sequenceNumber = newValue }
    }

    /// The sequence number of the record's first save, unique in its database.
    ///
    /// It never changes, and a copy of the store keeps it. It is the last sort key of every query.
    public var insertionNumber: Int64 {
        get { storage.content.insertionNumber }
        set { ownStorage.content.insertionNumber = newValue }
    }

    /// The date on which the record was first saved.
    public var creationDate: Date {
        get { storage.content.creationDate }
        set { ownStorage.content.creationDate = newValue }
    }

    /// The record name of the user who first saved the record.
    public var creatorName: String {
        get { storage.content.attribution.creatorName }
        set { ownStorage.content.attribution = attribution.with(creatorName: newValue) }
    }

    /// The date on which the record was last saved.
    public var modificationDate: Date {
        get { storage.content.modificationDate }
        set { ownStorage.content.modificationDate = newValue }
    }

    /// The record name of the user who last saved the record.
    public var lastModifierName: String {
        get { storage.content.attribution.lastModifierName }
        set {
            // Usually the same user saves again.
            if newValue.hasSameScalars(as: lastModifierName) { return }
            ownStorage.content.attribution = attribution.with(lastModifierName: newValue)
        }
    }

    /// The name of the record's parent, which is in the same zone.
    public var parentName: String? {
        get { storage.content.attribution.parentName }
        set { ownStorage.content.attribution = attribution.with(parentName: .some(newValue)) }
    }

    /// The record as clients see it: without hidden fields, and with the share whose root it is.
    var visible: StoredRecord {
        guard fieldNames.visible != nil else { return self }
        var visible = self
        if let shareName = ownShareName {
            visible.ownStorage.content.attribution = attribution.with(shareName: .some(shareName))
        }
        visible.fields = fields.visible
        return visible
    }

    /// The record's fields.
    public var fields: FieldValues {
        // Both yield the fields in place: returning a copy would retain every value for a read, and copy every value
        // for a change.
        _read { yield storage.content.fields }
        _modify { yield &ownStorage.content.fields }
    }

    // Without a coroutine, which takes memory in a debug build: these are asked of every record that a query evaluates.

    /// The names of the positions of the record's fields.
    var fieldNames: FieldNames { storage.content.fields.names }

    /// The value at a position of the record's fields.
    func fieldValue(at position: Int) -> FieldValue? { storage.content.fields.values[position] }
}

extension StoredRecord: Hashable {
    /// Returns a Boolean value that indicates whether two records have the same content.
    public static func == (left: Self, right: Self) -> Bool {
        left.storage === right.storage || left.storage.content == right.storage.content
    }

    /// Hashes what `==` compares.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(storage.content)
    }
}

extension StoredRecord: CustomStringConvertible {
    /// Everything that a store keeps of the record, to the last bit: dates are in seconds since 2001, bytes in base 64.
    public var description: String {
        var parts: [String] = []
        fields.forEach { parts.append("\($0): \($1.wholeDescription)") }
        let changes = [("created", creationDate, creatorName), ("modified", modificationDate, lastModifierName)]
            .map { "\($0) \($1.timeIntervalSinceReferenceDate) by \($2)" }.joined(separator: ", ")
        let parent = parentName.map { ", parent \($0)" } ?? ""
        let missing = fields.isComplete ? "" : ", fetched in part"
        return "\(recordType) \(recordID) (\(parts.joined(separator: ", "))), number \(sequenceNumber), "
            + "inserted as \(insertionNumber), \(changes)\(parent)\(missing)"
    }
}

extension FieldValue {
    /// The description with every bit of dates and bytes.
    fileprivate var wholeDescription: String {
        switch self {
        case .timestamp(let date): "\(date.timeIntervalSinceReferenceDate) s"
        case .bytes(let data): "base 64 \(data.base64EncodedString())"
        case .list(let list): "[\(list.elements.map(\.wholeDescription).joined(separator: ", "))]"
        case .encrypted(let value):
            "\(value.fieldType), base 64 \((value.ciphertext ?? Data()).base64EncodedString())"
        default: description
        }
    }
}

extension StoredRecord: Codable {
    private enum CodingKeys: String, CodingKey {
        case recordID, recordType, sequenceNumber, insertionNumber, creationDate, creatorName, modificationDate,
            lastModifierName,
            parentName
        case fields
    }

    /// Decodes what ``encode(to:)`` wrote.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            recordID: try values.decode(RecordID.self, forKey: .recordID),
            recordType: try values.decode(Record.RecordType.self, forKey: .recordType),
            sequenceNumber: try values.decode(Int64.self, forKey: .sequenceNumber),
            insertionNumber: try values.decode(Int64.self, forKey: .insertionNumber),
            creationDate: try values.decode(Date.self, forKey: .creationDate),
            creatorName: try values.decode(String.self, forKey: .creatorName),
            modificationDate: try values.decode(Date.self, forKey: .modificationDate),
            lastModifierName: try values.decode(String.self, forKey: .lastModifierName),
            parentName: try values.decodeIfPresent(String.self, forKey: .parentName),
            fields: try values.decode(FieldValues.self, forKey: .fields))
    }

    /// Encodes everything that a store keeps of the record.
    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(recordID, forKey: .recordID)
        try values.encode(recordType, forKey: .recordType)
        try values.encode(sequenceNumber, forKey: .sequenceNumber)
        try values.encode(insertionNumber, forKey: .insertionNumber)
        try values.encode(creationDate, forKey: .creationDate)
        try values.encode(creatorName, forKey: .creatorName)
        try values.encode(modificationDate, forKey: .modificationDate)
        try values.encode(lastModifierName, forKey: .lastModifierName)
        try values.encodeIfPresent(parentName, forKey: .parentName)
        try values.encode(fields, forKey: .fields)
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
        share = stored.share
    }
}

extension StoredRecord {
    /// The parent as clients see it.
    var parent: Reference? {
        parentName.map { Reference(recordID: RecordID(recordName: $0, zoneID: recordID.zoneID), action: .none) }
    }

    /// The share whose root the record is, as clients see it.
    var share: Reference? {
        attribution.shareName.map {
            Reference(recordID: RecordID(recordName: $0, zoneID: recordID.zoneID), action: .none)
        }
    }
}

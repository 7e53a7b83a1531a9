public import Foundation

/// A record: named fields, an identity, a type, and the system values that the server adds.
///
/// ```swift
/// var item = Record(recordType: "Items")
/// item["name"] = "Milk"
/// item["number"] = 2
///
/// item["name"] as? String               // "Milk"
/// item["number"] as? Int                // 2, also as? Double
/// let number: Double? = item["number"]  // 2.0
/// ```
///
/// A record is a value: changing a copy leaves the original unchanged, and changing a record leaves the database
/// unchanged until the record is saved. `save` returns the record as the server has stored it; save that one the next
/// time. <doc:RecordsAndValues> explains every type of value, and <doc:Conflicts> what happens if two clients change a
/// record.
public struct Record: Sendable {
    /// The name of a record type: an ASCII letter, followed by letters, digits and underscores.
    public typealias RecordType = String

    /// The name of a field: an ASCII letter, followed by letters, digits and underscores, at most 255 characters.
    public typealias FieldKey = String

    private var content: Content

    /// Creates a record that is not in a database yet.
    ///
    /// The names are checked when the record is saved. A record for another zone than the default one gets an ID in that
    /// zone; ``Database/makeRecord(_:named:)`` creates such records.
    ///
    /// - Parameters:
    ///   - recordType: The name of the record's type. The first save creates the type.
    ///   - recordID: The record's identity. The default is a new ID in the default zone.
    public init(recordType: RecordType, recordID: RecordID = RecordID()) {
        content = .own(Storage(origin: .new(recordType, recordID), parent: nil, fields: .empty))
    }

    /// Creates a record from a stored one.
    ///
    /// - Parameter stored: The record that a backend returned.
    /// - Complexity: O(1). Nothing is copied until the record is changed, unless the record is shared or its type has an
    ///   index of values in JSON.
    public init(_ stored: StoredRecord) {
        content = .unchanged(stored.visible)
    }

    /// Creates a record that is not in a database yet, with the fields of another one.
    init(recordID: RecordID, asNew prototype: Record) {
        let origin = Origin.new(prototype.recordType, recordID)
        content = .own(Storage(origin: origin, parent: nil, fields: prototype.fields, misfits: prototype.misfits))
    }

    /// Creates a record that is not in a database yet, with fields that all have a value.
    init(recordType: RecordType, recordID: RecordID, fields: FieldValues, parent: Reference?) {
        content = .own(Storage(origin: .new(recordType, recordID), parent: parent, fields: fields))
    }

    package init(header: Header, fields: FieldValues, fetched: Fetched?) {
        content = .own(
            Storage(
                origin: .archive(Archive(header: header, fetched: fetched)), parent: header.parent, fields: fields))
    }
}

extension Record {
    /// The content of a record, in a single pointer.
    private enum Content: Sendable {
        /// A record from a backend that was not changed.
        ///
        /// Most fetched records are only read.
        case unchanged(StoredRecord)
        /// A new or changed record, shared by copies until one of them changes.
        case own(Storage)
    }

    // Unchecked, and safe: a storage is changed only by `Record.mutate`, which first makes sure that no other record, and
    // so no other task, refers to it.
    final class Storage: @unchecked Sendable {
        let origin: Origin
        var parent: Reference?
        var fields: FieldValues
        /// Descriptions of assigned values that no field can hold.
        ///
        /// Saving the record refuses them.
        var misfits: [FieldKey: String]

        init(origin: Origin, parent: Reference?, fields: FieldValues, misfits: [FieldKey: String] = [:]) {
            self.origin = origin
            self.parent = parent
            self.fields = fields
            self.misfits = misfits
        }

        /// Sets a field.
        ///
        /// A record that was never fetched remembers that a value was removed: the server's record may have one.
        func set(_ value: FieldValue?, forKey key: FieldKey) {
            fields[key] = value
            if value == nil, !origin.wasFetched { fields.addName(key) }
        }

        func copy() -> Storage {
            Storage(origin: origin, parent: parent, fields: fields, misfits: misfits)
        }
    }

    /// The record's identity and what the server keeps about it.
    package var header: Header {
        switch content {
        case .unchanged(let stored):
            return Header(stored)
        case .own(let storage):
            var header = storage.origin.header
            header.parent = storage.parent
            return header
        }
    }

    /// The stored record that this one was created from, if it was not changed since.
    var unchanged: StoredRecord? {
        if case .unchanged(let stored) = content { stored } else { nil }
    }

    private var origin: Origin {
        switch content {
        case .unchanged(let stored): .stored(stored)
        case .own(let storage): storage.origin
        }
    }

    /// The record's fields as they are now.
    package var fields: FieldValues {
        switch content {
        case .unchanged(let stored): stored.fields
        case .own(let storage): storage.fields
        }
    }

    /// The value of a field, found without copying the other ones.
    @usableFromInline
    func fieldValue(forKey key: FieldKey) -> FieldValue? {
        switch content {
        case .unchanged(let stored): stored.fields[key]
        case .own(let storage): storage.fields[key]
        }
    }

    /// The value of the field with a short name.
    @usableFromInline
    func fieldValue(named name: ShortName) -> FieldValue? {
        switch content {
        case .unchanged(let stored): stored.fields[name]
        case .own(let storage): storage.fields[name]
        }
    }

    /// The record as it was fetched; `nil` if it never was.
    package var fetched: Fetched? {
        switch content {
        case .unchanged(let stored): Fetched(fields: stored.fields, parent: stored.parent)
        case .own(let storage): storage.origin.fetched
        }
    }

    /// Descriptions of assigned values that no field can hold, by field.
    var misfits: [FieldKey: String] {
        switch content {
        case .unchanged: [:]
        case .own(let storage): storage.misfits
        }
    }

    /// Changes the content, of a copy if another record shares it.
    mutating func mutate(_ change: (Storage) -> Void) {
        var storage = takeStorage()
        if !isKnownUniquelyReferenced(&storage) { storage = storage.copy() }
        change(storage)
        content = .own(storage)
    }

    /// Replaces the IDs in the record's identity, its parent and its fields.
    ///
    /// A record that was not changed since a backend returned it contains only IDs that the backend knows, and stays
    /// unchanged, unless the IDs of stored records are included.
    mutating func mapRecordIDs(includingStored: Bool = false, _ transform: (RecordID) -> RecordID) {
        func map(_ reference: Reference) -> Reference {
            Reference(recordID: transform(reference.recordID), action: reference.action)
        }
        let storage: Storage
        switch content {
        case .unchanged(var stored):
            guard includingStored else { return }
            // No other reference remains, so nothing is copied unless another record shares the content.
            content = .unchanged(.blank)
            stored.mapRecordIDs(transform)
            content = .unchanged(stored)
            return
        case .own(let own): storage = own
        }
        let origin: Origin
        switch storage.origin {
        case .new(let recordType, let recordID): origin = .new(recordType, transform(recordID))
        case .stored(var stored):
            if includingStored { stored.mapRecordIDs(transform) }
            origin = .stored(stored)
        case .archive(let archive):
            var header = archive.header
            header.recordID = transform(header.recordID)
            header.parent = header.parent.map(map)
            header.share = header.share.map(map)
            let fetched = archive.fetched.map { fetched in
                var fields = fetched.fields
                fields.mapReferences(map)
                return Fetched(fields: fields, parent: fetched.parent.map(map))
            }
            origin = .archive(Archive(header: header, fetched: fetched))
        }
        var fields = storage.fields
        fields.mapReferences(map)
        content = .own(
            Storage(origin: origin, parent: storage.parent.map(map), fields: fields, misfits: storage.misfits))
    }

    /// Returns the same record with other present and fetched fields.
    ///
    /// A record as a backend returned it counts as unchanged still.
    func mappingFields(_ transform: (FieldValues) -> FieldValues) -> Record {
        func mapped(_ stored: StoredRecord) -> StoredRecord {
            var stored = stored
            stored.fields = transform(stored.fields)
            return stored
        }
        var record = self
        switch content {
        case .unchanged(let stored): record.content = .unchanged(mapped(stored))
        case .own(let storage):
            let origin: Origin =
                switch storage.origin {
                case .new: storage.origin
                case .stored(let stored): .stored(mapped(stored))
                case .archive(let archive):
                    .archive(
                        Archive(
                            header: archive.header,
                            fetched: archive.fetched.map { Fetched(transform($0.fields), $0.parent) }))
                }
            record.content = .own(
                Storage(
                    origin: origin, parent: storage.parent, fields: transform(storage.fields),
                    misfits: storage.misfits))
        }
        return record
    }

    /// Whether the record's identity, its parent, or a reference in its fields satisfies a predicate.
    ///
    /// - Complexity: O(*n*) in the number of fields; O(1) for a record that is as a backend returned it.
    func containsRecordID(where predicate: (RecordID) -> Bool) -> Bool {
        guard case .own(let storage) = content else { return false }
        if predicate(storage.origin.recordID) { return true }
        if let parent = storage.parent, predicate(parent.recordID) { return true }
        return storage.fields.containsReference { predicate($0.recordID) }
    }

    /// The content as it can be changed, to which this record then refers no more.
    private mutating func takeStorage() -> Storage {
        switch content {
        case .unchanged(let stored):
            content = .unchanged(.blank)
            return Storage(origin: .stored(stored), parent: stored.parent, fields: stored.fields)
        case .own(let storage):
            content = .unchanged(.blank)
            return storage
        }
    }
}

extension Record {
    /// The name of the record's type.
    public var recordType: RecordType {
        switch content {
        case .unchanged(let stored): stored.recordType
        case .own(let storage): storage.origin.recordType
        }
    }

    /// The record's identity, which never changes.
    public var recordID: RecordID {
        switch content {
        case .unchanged(let stored): stored.recordID
        case .own(let storage): storage.origin.recordID
        }
    }

    /// The version that the server gave the record at its last save, or `nil` if it was never saved.
    ///
    /// A save compares it with the server's, and a difference is a conflict. A tag is opaque: compare it for equality only.
    /// It is derived from the sequence number, the date and the user of the save. So tags differ between databases, even for the
    /// same record ID, and between a version that was lost when an older copy of the store was restored, and the one saved after
    /// it. With a stopped clock, as in a test, tags may be equal in two databases of one user.
    public var recordChangeTag: String? {
        switch origin {
        case .new: nil
        case .stored(let stored): stored.changeTag
        case .archive(let archive): archive.header.recordChangeTag
        }
    }

    /// Whether the record has a change tag, which need not be made to know that.
    var hasChangeTag: Bool {
        switch origin {
        case .new: false
        case .stored: true
        case .archive(let archive): archive.header.recordChangeTag != nil
        }
    }

    /// Whether the record's change tag is that of a stored record.
    func hasChangeTag(of other: StoredRecord) -> Bool {
        switch origin {
        case .new: false
        case .stored(let stored): stored.hasSameChangeTag(as: other)
        case .archive(let archive): archive.header.recordChangeTag == other.changeTag
        }
    }

    /// The date on which the record was first saved, by the server's clock.
    public var creationDate: Date? {
        switch origin {
        case .new: nil
        case .stored(let stored): stored.creationDate
        case .archive(let archive): archive.header.creationDate
        }
    }

    /// The user who first saved the record.
    public var creatorUserRecordID: RecordID? {
        switch origin {
        case .new: nil
        case .stored(let stored): RecordID(recordName: stored.creatorName)
        case .archive(let archive): archive.header.creatorUserRecordID
        }
    }

    /// The date on which the record was last saved, by the server's clock.
    public var modificationDate: Date? {
        switch origin {
        case .new: nil
        case .stored(let stored): stored.modificationDate
        case .archive(let archive): archive.header.modificationDate
        }
    }

    /// The user who last saved the record.
    public var lastModifiedUserRecordID: RecordID? {
        switch origin {
        case .new: nil
        case .stored(let stored): RecordID(recordName: stored.lastModifierName)
        case .archive(let archive): archive.header.lastModifiedUserRecordID
        }
    }

    /// The record that this one belongs to, for sharing.
    ///
    /// The reference's action must be ``Reference/Action/none``. The parent must exist, or be saved in the same batch.
    /// Deleting it without its children throws ``CabinetError/Code/referenceViolation``. In the public database, children
    /// that another user created do not prevent the deletion: they lose their parent.
    public var parent: Reference? {
        get {
            switch content {
            case .unchanged(let stored): stored.parent
            case .own(let storage): storage.parent
            }
        }
        set { mutate { $0.parent = newValue } }
    }

    /// The share whose root the record is, as the server has stored it; `nil` for other records, also for those below a root.
    ///
    /// The save of a ``Share/init(rootRecord:shareID:)`` sets it, and the deletion of the share removes it.
    public var share: Reference? {
        switch origin {
        case .new: nil
        case .stored(let stored): stored.share
        case .archive(let archive): archive.header.share
        }
    }

    /// Makes another record the parent of this one, or removes the parent if the argument is `nil`.
    public mutating func setParent(_ record: Record?) {
        setParent(record?.recordID)
    }

    /// Makes the record with an ID the parent of this one, or removes the parent if the argument is `nil`.
    public mutating func setParent(_ recordID: RecordID?) {
        parent = recordID.map { Reference(recordID: $0, action: .none) }
    }
}

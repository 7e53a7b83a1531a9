import Cabinet
public import Foundation
import Synchronization

/// A record: named fields, an identity, a type, and the system values that the server adds.
///
/// A record is an object, as in CloudKit: all references to it see its changes, and a save updates it.
///
/// ```swift
/// let item = CKRecord(recordType: "Items")
/// item["name"] = "Milk"
/// // The save sets item.recordChangeTag to that of the server.
/// try await database.save(item)
/// ```
// Unchecked, and safe: the only stored property is a lock with the content and the user.
open class CKRecord: NSObject, NSSecureCoding, NSCopying, CKRecordKeyValueSetting, @unchecked Sendable {
    /// The name of a record type.
    public typealias RecordType = String
    /// The name of a field.
    public typealias FieldKey = String
    /// The identity of a record.
    public typealias ID = CKRecordID
    /// A reference to a record.
    public typealias Reference = CKReference
    /// The effect of a target's deletion on the record with the reference.
    public typealias ReferenceAction = CKReferenceAction

    private struct Content {
        var record: Record
        var user: String?
    }

    private let content: Mutex<Content>

    /// The content as Cabinet has it.
    var value: Record { content.withLock { $0.record } }

    /// The record name of the user that has fetched or saved the record.
    var user: String? { content.withLock { $0.user } }

    init(_ value: Record, of user: String?) {
        content = Mutex(Content(record: value, user: user))
    }

    /// Creates a record that is not in a database yet.
    ///
    /// - Parameters:
    ///   - recordType: The name of the record's type.
    ///   - recordID: The record's identity. The default is a new ID in the default zone.
    public init(recordType: RecordType, recordID: CKRecord.ID = CKRecord.ID()) {
        content = Mutex(Content(record: Record(recordType: recordType, recordID: recordID.value)))
    }

    /// Creates a record with a new ID in a zone.
    @available(*, deprecated, message: "Use init(recordType:recordID:) with CKRecord.ID(zoneID:).")
    public convenience init(recordType: RecordType, zoneID: CKRecordZone.ID) {
        self.init(recordType: recordType, recordID: CKRecord.ID(zoneID: zoneID))
    }

    /// Reads a record, or the system fields of one, from an archive.
    ///
    /// A record of system fields has no fields, and no changed keys.
    public required init?(coder: NSCoder) {
        let user: String? = coder.decodeContent(forKey: Self.userKey)
        if let record: Record = coder.decodeContent(forKey: Self.recordKey) {
            content = Mutex(Content(record: record, user: user))
        } else if let data = coder.data(forKey: Self.systemFieldsKey),
            let record = try? Record(systemFields: data)
        {
            content = Mutex(Content(record: record, user: user))
        } else {
            return nil
        }
    }

    private static let recordKey = "CabinetRecord"
    private static let systemFieldsKey = "CabinetSystemFields"
    private static let userKey = "CabinetUser"

    /// Whether archives are read securely: always.
    public class var supportsSecureCoding: Bool { true }

    /// Writes the record with its fields and unsaved changes into an archive.
    ///
    /// Encrypted values are archived as the server has them, and can be read after the next fetch. Unsaved ones are not archived.
    open func encode(with coder: NSCoder) {
        coder.encodeContent(value.withoutUnencryptedValues, forKey: Self.recordKey)
        encodeUser(with: coder)
    }

    /// Writes the record's identity, type, change tag, dates and users into an archive, and none of its fields.
    open func encodeSystemFields(with coder: NSCoder) {
        coder.encode(value.encodeSystemFields() as NSData, forKey: Self.systemFieldsKey)
        encodeUser(with: coder)
    }

    private func encodeUser(with coder: NSCoder) {
        if let user { coder.encodeContent(user, forKey: Self.userKey) }
    }

    /// Takes over what the server has after a save, and keeps what the program has changed since it was sent.
    func adopt(_ saved: Record, sent: Record, of user: String?) {
        content.withLock { content in
            let current = content.record
            var adopted = saved
            for key in Set(current.fields.keys).union(sent.fields.keys) {
                let now = current.storedValue(forKey: key)
                if now != sent.storedValue(forKey: key) { adopted.setStoredValue(now, forKey: key) }
            }
            if current.parent != sent.parent { adopted.parent = current.parent }
            content = Content(record: adopted, user: user)
        }
    }

    /// Returns a record with the same content, which changes independently.
    open func copy(with zone: NSZone? = nil) -> Any { CKRecord(value, of: user) }

    /// Returns a Boolean value that indicates whether another object is a record with the same content.
    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? CKRecord else { return false }
        return other === self || other.value == value
    }

    /// A hash of the record's ID, which its changes keep.
    open override var hash: Int { value.recordID.hashValue }

    /// The type, the ID and the fields, for logs.
    open override var description: String { "<CKRecord: \(value)>" }

    // The methods of key-value coding, which a subclass inherits and Foundation's own declaration on Apple's platforms has in
    // the class itself.
    #if canImport(ObjectiveC)
    /// Returns the value of a field or of a system property.
    open override func value(forKey key: String) -> Any? { keyedValue(key) }

    /// Sets the value of a field; `nil` removes it.
    open override func setValue(_ value: Any?, forKey key: String) { setKeyedValue(value, key) }

    /// Sets the values of several fields; `NSNull` removes one.
    open override func setValuesForKeys(_ values: [String: Any]) {
        for (key, value) in values { setKeyedValue(value, key) }
    }

    /// Returns the values of several fields, and `NSNull` for those without a value.
    open override func dictionaryWithValues(forKeys keys: [String]) -> [String: Any] { keyedValues(keys) }
    #else
    /// Returns the value of a field or of a system property.
    open func value(forKey key: String) -> Any? { keyedValue(key) }

    /// Sets the value of a field; `nil` removes it.
    open func setValue(_ value: Any?, forKey key: String) { setKeyedValue(value, key) }

    /// Sets the values of several fields; `NSNull` removes one.
    open func setValuesForKeys(_ values: [String: Any]) {
        for (key, value) in values { setKeyedValue(value, key) }
    }

    /// Returns the values of several fields, and `NSNull` for those without a value.
    open func dictionaryWithValues(forKeys keys: [String]) -> [String: Any] { keyedValues(keys) }
    #endif
}

extension CKRecord {
    /// Creates the object for a record, or for a share, which a user has fetched or saved.
    static func object(_ value: Record, of user: String?) -> CKRecord {
        value.recordType == SystemType.share ? CKShare(value, of: user) : CKRecord(value, of: user)
    }

    func change(_ body: (inout Record) -> Void) {
        content.withLock { body(&$0.record) }
    }

    private func keyedValue(_ key: String) -> Any? {
        switch key {
        case "recordID": recordID
        case "recordType": recordType
        case "recordChangeTag": recordChangeTag
        case "creationDate": creationDate
        case "modificationDate": modificationDate
        case "creatorUserRecordID": creatorUserRecordID
        case "lastModifiedUserRecordID": lastModifiedUserRecordID
        case "parent": parent
        default: object(forKey: key)
        }
    }

    private func setKeyedValue(_ value: Any?, _ key: String) {
        guard let value, !(value is NSNull) else {
            return change { record in
                // A loop over allKeys() that copies fields reads nil for an encrypted one, which the target keeps.
                if record.storedValue(forKey: key)?.fieldType.isEncrypted != true { record[key] = nil as String? }
            }
        }
        // Converted without the lock, because the value may be this record.
        guard let fieldValue = FieldValue(object: value) else {
            return change { $0[key] = unsupportedValue(of: value) }
        }
        change { $0.setStoredValue(fieldValue, forKey: key) }
    }

    private func keyedValues(_ keys: [String]) -> [String: Any] {
        Dictionary(keys.map { ($0, value(forKey: $0) ?? NSNull()) }, uniquingKeysWith: { first, _ in first })
    }
}

extension CKRecord {
    /// The name of the record's type.
    public var recordType: RecordType { value.recordType }

    /// The record's identity.
    public var recordID: CKRecord.ID { CKRecord.ID(value.recordID) }

    /// The version that the server gave the record at its last save.
    public var recordChangeTag: String? { value.recordChangeTag }

    /// The date of the first save, by the server's clock.
    public var creationDate: Date? { value.creationDate }

    /// The user who saved the record first; for the container's user, the record name is ``CKCurrentUserDefaultName``.
    public var creatorUserRecordID: CKRecord.ID? { value.creatorUserRecordID.map(shownUserID) }

    /// The date of the last save, by the server's clock.
    public var modificationDate: Date? { value.modificationDate }

    /// The user who saved the record last; for the container's user, the record name is ``CKCurrentUserDefaultName``.
    public var lastModifiedUserRecordID: CKRecord.ID? { value.lastModifiedUserRecordID.map(shownUserID) }

    /// The share whose root the record is; `nil` also for the records below a root.
    public var share: CKRecord.Reference? { value.share.map(CKReference.init) }

    /// The record that this one belongs to.
    public var parent: CKRecord.Reference? {
        get { value.parent.map(CKReference.init) }
        set { change { $0.parent = newValue?.value } }
    }

    /// Makes another record the parent of this one.
    public func setParent(_ parentRecord: CKRecord?) { setParent(parentRecord?.recordID) }

    /// Makes the record with an ID the parent of this one.
    public func setParent(_ parentRecordID: CKRecord.ID?) {
        change { $0.setParent(parentRecordID?.value) }
    }
}

extension CKRecord {
    /// Returns the value of a field: text as `String`, numbers as `NSNumber`, lists as arrays.
    public func object(forKey key: FieldKey) -> (any CKRecordValue)? {
        guard let stored = value.storedValue(forKey: key), !stored.fieldType.isEncrypted else { return nil }
        return stored.object
    }

    /// Sets the value of a field; `nil` removes it, but not a value of ``encryptedValues``.
    public func setObject(_ object: (any CKRecordValue)?, forKey key: FieldKey) { setKeyedValue(object, key) }

    /// The value of a field: text as `String`, numbers as `NSNumber`, lists as arrays.
    ///
    /// Swift casts an `NSNumber` to every number type that can hold its value. The value of an encrypted field is `nil`, and
    /// setting `nil` does not remove it: use ``encryptedValues``.
    public subscript(key: FieldKey) -> (any CKRecordValue)? {
        get { object(forKey: key) }
        set { setKeyedValue(newValue, key) }
    }

    /// Returns the names of the fields that have a value, those of ``encryptedValues`` included.
    public func allKeys() -> [FieldKey] {
        let value = value
        return programKeys(value.allKeys() + value.encryptedValues.allKeys())
    }

    /// Returns the names of the fields that were changed since the record was fetched or saved.
    public func changedKeys() -> [FieldKey] { programKeys(value.changedKeys()) }

    /// Returns the fields without those that the members of ``CKShare`` read and write.
    private func programKeys(_ keys: [FieldKey]) -> [FieldKey] {
        self is CKShare ? keys.filter { !Share.SystemFieldKey.ofMembers.contains($0) } : keys
    }

    /// Returns the words of the text fields, which a search with `self CONTAINS` reads.
    @available(*, deprecated, message: "Use a predicate with self CONTAINS.")
    public func allTokens() -> [String] {
        SearchTokens.tokens(in: allKeys().compactMap { self[$0] as? String }.joined(separator: " "))
    }

    /// The fields that are encrypted before they leave the program, and decrypted after a fetch.
    ///
    /// The keys are those of ``CabinetCloudKit/Options/encryption``.
    public var encryptedValues: any CKRecordKeyValueSetting { CKEncryptedValues(self) }
}

/// The iterator over the fields of a record.
public typealias CKRecordKeyValueIterator = AnyIterator<(CKRecord.FieldKey, any CKRecordValueProtocol)>

extension CKRecord: Sequence {
    /// Iterates over the fields that have a value, except for encrypted ones.
    public func makeIterator() -> CKRecordKeyValueIterator {
        let record = value
        var keys = programKeys(record.allKeys()).makeIterator()
        return AnyIterator {
            while let key = keys.next() {
                if let object = record.storedValue(forKey: key)?.object { return (key, object) }
            }
            return nil
        }
    }
}

extension Record {
    /// The stored value of a field.
    func storedValue(forKey key: FieldKey) -> FieldValue? {
        let value: StoredFieldValue? = self[key]
        return value?.value
    }

    /// Sets a field to a stored value.
    mutating func setStoredValue(_ value: FieldValue?, forKey key: FieldKey) {
        self[key] = value.map(StoredFieldValue.init)
    }
}

/// Any stored value, so that a record's fields are read and set without a conversion.
struct StoredFieldValue: RecordValue {
    static var fieldType: FieldType { .string }
    let value: FieldValue

    init(_ value: FieldValue) { self.value = value }

    init?(fieldValue: FieldValue) { value = fieldValue }

    var fieldValue: FieldValue? { value }
}

import Cabinet
public import Foundation

/// A reference from one record to another. CloudKit's `CKRecord.Reference`.
// Unchecked, and safe: the only property is a constant.
open class CKReference: NSObject, NSSecureCoding, NSCopying, CKRecordValueProtocol, @unchecked Sendable {
    let value: Reference

    init(_ value: Reference) {
        self.value = value
    }

    /// Creates a reference to the record with an ID.
    public convenience init(recordID: CKRecord.ID, action: CKRecord.ReferenceAction) {
        self.init(Reference(recordID: recordID.value, action: action == .deleteSelf ? .deleteSelf : .none))
    }

    /// Creates a reference to a record.
    public convenience init(record: CKRecord, action: CKRecord.ReferenceAction) {
        self.init(recordID: record.recordID, action: action)
    }

    /// The ID of the record that the reference points to.
    open var recordID: CKRecord.ID { CKRecord.ID(value.recordID) }

    /// The effect of the target's deletion on the record with the reference.
    ///
    /// `.nullify` and `.deny`, which only Cabinet has, read as `.none`. They stay in the record unless the field is set.
    open var action: CKRecord.ReferenceAction { value.action == .deleteSelf ? .deleteSelf : .none }

    /// CloudKit's older name of ``CKReferenceAction``.
    public typealias Action = CKReferenceAction

    /// Whether archives are read securely: always.
    public class var supportsSecureCoding: Bool { true }

    /// Reads a reference from an archive.
    public required init?(coder: NSCoder) {
        guard let value: Reference = coder.decodeContent() else { return nil }
        self.value = value
    }

    /// Writes the reference into an archive.
    open func encode(with coder: NSCoder) { coder.encodeContent(value) }

    /// Returns the reference itself, which never changes.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    /// Returns a Boolean value that indicates whether another object is an equal reference.
    open override func isEqual(_ object: Any?) -> Bool { (object as? CKReference)?.value == value }

    /// A hash of the reference.
    open override var hash: Int { value.hashValue }

    /// The target and the action, for logs.
    open override var description: String { "<CKReference: \(value)>" }
}

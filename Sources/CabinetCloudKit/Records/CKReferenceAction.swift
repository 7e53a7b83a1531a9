/// The effect of a target's deletion on the record with the reference.
///
/// CloudKit's `CKRecord.ReferenceAction`.
public enum CKReferenceAction: UInt, Sendable, Hashable {
    /// Nothing happens, and the reference stays.
    case none = 0
    /// The record with the reference is deleted too.
    case deleteSelf = 1
}

/// The older name of ``CKReferenceAction``.
public typealias CKRecord_Reference_Action = CKReferenceAction

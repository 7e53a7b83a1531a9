import Cabinet
public import Foundation

/// A user that has asked to take part in a share.
// Unchecked, and safe: the only stored property is a constant.
open class CKShareAccessRequester: NSObject, @unchecked Sendable {
    /// The user as Cabinet has it.
    let value: Share.AccessRequester

    init(_ value: Share.AccessRequester) {
        self.value = value
    }

    /// The user.
    open var userIdentity: CKUserIdentity { CKUserIdentity(userRecordID: CKRecord.ID(value.userRecordID)) }
    /// The description by which the user is looked up, to approve.
    open var participantLookupInfo: CKUserIdentity.LookupInfo? {
        CKUserIdentity.LookupInfo(userRecordID: CKRecord.ID(value.userRecordID))
    }

    /// Returns a Boolean value that indicates whether another object is the same user.
    open override func isEqual(_ object: Any?) -> Bool { (object as? CKShareAccessRequester)?.value == value }

    /// A hash of the user's name.
    open override var hash: Int { value.hashValue }
}

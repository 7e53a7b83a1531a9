import Cabinet
public import Foundation

/// A user that may not ask to take part in a share.
// Unchecked, and safe: the only stored property is a constant.
open class CKShareBlockedIdentity: NSObject, @unchecked Sendable {
    /// The user as Cabinet has it.
    let value: Share.BlockedIdentity

    init(_ value: Share.BlockedIdentity) {
        self.value = value
    }

    /// The user.
    open var userIdentity: CKUserIdentity { CKUserIdentity(userRecordID: CKRecord.ID(value.userRecordID)) }

    /// Returns a Boolean value that indicates whether another object is the same user.
    open override func isEqual(_ object: Any?) -> Bool { (object as? CKShareBlockedIdentity)?.value == value }

    /// A hash of the user's name.
    open override var hash: Int { value.hashValue }
}

public import Foundation

/// A user who has asked to take part in a share.
///
/// Cabinet keeps no such questions, so no program receives one.
// Unchecked, and safe: the object has no variables.
open class CKShareAccessRequester: NSObject, @unchecked Sendable {
    /// The user.
    open var userIdentity: CKUserIdentity { CKUserIdentity() }
    /// The address with which the user is looked up.
    open var participantLookupInfo: CKUserIdentity.LookupInfo? { nil }
}

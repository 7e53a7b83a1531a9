public import Foundation

/// A user who may not ask to take part in a share.
///
/// Cabinet keeps no questions to take part, so no program receives one.
// Unchecked, and safe: the object has no variables.
open class CKShareBlockedIdentity: NSObject, @unchecked Sendable {
    /// The user.
    open var userIdentity: CKUserIdentity { CKUserIdentity() }
}

import Foundation

/// An operation that set an application's badge, which CloudKit has removed: it succeeds, and has no effect.
// Unchecked, and safe as its base class is.
@available(*, deprecated, message: "Set the badge of the application instead.")
open class CKModifyBadgeOperation: CKOperation, @unchecked Sendable {
    /// The number on the badge.
    open var badgeValue: Int
    /// A block that is called at the end.
    open var modifyBadgeCompletionBlock: (((any Error)?) -> Void)?

    /// Creates an operation.
    public init(badgeValue: Int) {
        self.badgeValue = badgeValue
        super.init()
    }

    override func perform() async {
        await call { self.modifyBadgeCompletionBlock?(nil) }
    }

    override func end(_ error: any Error) { modifyBadgeCompletionBlock?(error) }
}

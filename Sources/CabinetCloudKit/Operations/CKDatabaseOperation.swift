import Foundation

/// An operation of a database: the base class of most operations.
// Unchecked, and safe as its base class is.
open class CKDatabaseOperation: CKOperation, @unchecked Sendable {
    /// The database of the operation, or `nil` for the private database of the container.
    open var database: CKDatabase?

    var target: CKDatabase { database ?? (container ?? CKContainer.default()).privateCloudDatabase }

    /// Creates an operation.
    public override init() {
        super.init()
    }
}

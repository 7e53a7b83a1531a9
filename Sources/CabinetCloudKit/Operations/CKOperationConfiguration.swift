public import Foundation

/// The settings of an operation. CloudKit's `CKOperation.Configuration`.
///
/// All are accepted, and only the container has an effect: the store decides about connections.
// Unchecked, and safe as far as CloudKit's own is: the settings are set before an operation with them is added.
open class CKOperationConfiguration: NSObject, NSCopying, @unchecked Sendable {
    /// The container of the operation, or `nil` for the default one.
    open var container: CKContainer?
    /// The priority of the operation.
    open var qualityOfService: QualityOfService = .default
    /// Whether the operation may use a mobile network.
    open var allowsCellularAccess = true {
        didSet { IgnoredMember.warn("CKOperation.allowsCellularAccess", IgnoredMember.networkReason) }
    }
    /// Whether the operation continues after the program ends.
    open var isLongLived = false {
        didSet { IgnoredMember.warn("CKOperation.isLongLived", "an operation ends with its program") }
    }
    /// The longest wait for more data, in seconds.
    open var timeoutIntervalForRequest: TimeInterval = 60 {
        didSet { IgnoredMember.warn("CKOperation.timeoutIntervalForRequest", IgnoredMember.networkReason) }
    }
    /// The longest time of the request, in seconds.
    open var timeoutIntervalForResource: TimeInterval = 604_800 {
        didSet { IgnoredMember.warn("CKOperation.timeoutIntervalForResource", IgnoredMember.networkReason) }
    }

    /// Creates settings.
    public override init() {}

    init(_ other: CKOperationConfiguration) {
        container = other.container
        qualityOfService = other.qualityOfService
        allowsCellularAccess = other.allowsCellularAccess
        isLongLived = other.isLongLived
        timeoutIntervalForRequest = other.timeoutIntervalForRequest
        timeoutIntervalForResource = other.timeoutIntervalForResource
    }

    /// Returns settings with the same values, which change independently.
    open func copy(with zone: NSZone? = nil) -> Any { CKOperationConfiguration(self) }
}

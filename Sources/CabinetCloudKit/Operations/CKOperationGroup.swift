public import Foundation

/// A group of operations that belong together, which is accepted and ignored.
// Unchecked, and safe as far as CloudKit's own is: a group is set before an operation with it is added.
open class CKOperationGroup: NSObject, NSSecureCoding, @unchecked Sendable {
    /// The identity of the group.
    public let operationGroupID: String
    /// The settings of the group's operations.
    open var defaultConfiguration: CKOperationConfiguration = CKOperationConfiguration()
    /// The name of the group.
    open var name: String?
    /// The number of operations.
    open var quantity = 0
    /// The expected size of what is sent.
    open var expectedSendSize: CKOperationGroup.TransferSize = .unknown
    /// The expected size of what is received.
    open var expectedReceiveSize: CKOperationGroup.TransferSize = .unknown

    /// The expected size of a transfer.
    public enum TransferSize: Int, Sendable {
        /// An unknown size.
        case unknown = 0
        /// Less than a megabyte.
        case kilobytes = 1
        /// Some megabytes.
        case megabytes = 2
        /// Tens of megabytes.
        case tensOfMegabytes = 3
        /// Hundreds of megabytes.
        case hundredsOfMegabytes = 4
        /// Some gigabytes.
        case gigabytes = 5
        /// Tens of gigabytes.
        case tensOfGigabytes = 6
        /// Hundreds of gigabytes.
        case hundredsOfGigabytes = 7
    }

    /// Creates a group.
    public override init() {
        operationGroupID = UUID().uuidString
        super.init()
    }

    /// Whether archives are read securely: always.
    public class var supportsSecureCoding: Bool { true }

    /// Reads a group from an archive.
    public required init?(coder: NSCoder) {
        guard let id = coder.decodeObject(of: NSString.self, forKey: "operationGroupID") else { return nil }
        operationGroupID = "\(id)"
        super.init()
    }

    /// Writes the group's identity into an archive.
    open func encode(with coder: NSCoder) {
        coder.encode(operationGroupID as NSString, forKey: "operationGroupID")
    }
}

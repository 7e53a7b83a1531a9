import Cabinet
public import Foundation

/// A search for the records of one type.
// Unchecked, and safe as far as CloudKit's own is: the sort descriptors are set before the query is used.
open class CKQuery: NSObject, NSSecureCoding, NSCopying, @unchecked Sendable {
    /// The type of the records to find.
    public let recordType: CKRecord.RecordType

    /// The condition that the records must match.
    public let predicate: NSPredicate

    /// The order of the records, or `nil` for any.
    open var sortDescriptors: [NSSortDescriptor]?

    /// Creates a query.
    public init(recordType: CKRecord.RecordType, predicate: NSPredicate) {
        self.recordType = recordType
        self.predicate = predicate
    }

    /// Whether archives are read securely: always.
    public class var supportsSecureCoding: Bool { true }

    /// Reads a query from an archive.
    public required init?(coder: NSCoder) {
        guard let query: Query = coder.decodeContent() else { return nil }
        recordType = query.recordType
        predicate = NSPredicate(filter: query.filter)
        sortDescriptors = query.sortDescriptors.map(NSSortDescriptor.from)
    }

    /// Writes the query into an archive, if its predicate can be used in a query.
    open func encode(with coder: NSCoder) {
        if let query = try? converted() { coder.encodeContent(query) }
    }

    /// Returns a query with the same content.
    open func copy(with zone: NSZone? = nil) -> Any {
        let query = CKQuery(recordType: recordType, predicate: predicate)
        query.sortDescriptors = sortDescriptors
        return query
    }

    /// The type and the predicate, for logs.
    open override var description: String {
        "<CKQuery: \(recordType) \((try? Filter(predicate))?.description ?? "?")>"
    }
}

extension CKQuery {
    /// Returns the query as Cabinet has it.
    ///
    /// - Parameter user: The record name of the user.
    /// - Throws: ``CKError/Code/invalidArguments`` if the predicate cannot be read.
    func converted(of user: String? = nil) throws -> Query {
        Query(
            recordType: recordType, filter: try Filter(predicate).resolvingUser(user),
            sortedBy: try (sortDescriptors ?? []).map(Sort.init))
    }
}

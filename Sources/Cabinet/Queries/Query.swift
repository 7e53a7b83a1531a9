/// A search for the records of one type.
public struct Query: Sendable, Hashable, Codable {
    /// The type of the records to find.
    public var recordType: Record.RecordType

    /// The condition that the records must match.
    public var filter: Filter

    /// The order of the records; records that it leaves equal are in the order of their first saves.
    public var sortDescriptors: [Sort]

    /// Creates a query.
    ///
    /// - Parameters:
    ///   - recordType: The type of the records to find.
    ///   - filter: The condition that the records must match. The default matches all records.
    ///   - sortDescriptors: The order of the records; by default that of their first saves.
    public init(
        recordType: Record.RecordType, filter: Filter = .constant(true), sortedBy sortDescriptors: [Sort] = []
    ) {
        self.recordType = recordType
        self.filter = filter
        self.sortDescriptors = sortDescriptors
    }

    /// The results limit that leaves the size of a page to the service, which makes it ``defaultPageSize``.
    public static let maximumResults = 0

    /// The number of records on a page when the caller sets no limit: 200.
    public static let defaultPageSize = 200
}

/// A search for the records of one type.
///
/// ```swift
/// let query = Query(
///     recordType: "Items", filter: .field("number") > 3, sortedBy: ["name"])
/// let (matchResults, queryCursor) = try await database.records(matching: query)
/// ```
///
/// A query is checked when it runs. <doc:Filters> introduces filters, <doc:SortingAndCounting> sort keys, and
/// <doc:QueryCosts> shows which queries an index makes fast.
public struct Query: Sendable, Hashable, Codable {
    /// The type of the records to find.
    public var recordType: Record.RecordType

    /// The condition that the records must match.
    public var filter: Filter

    /// The sort keys.
    ///
    /// Records with equal keys are in the order of their first saves.
    public var sortDescriptors: [Sort]

    /// Creates a query.
    ///
    /// - Parameters:
    ///   - recordType: The type of the records to find.
    ///   - filter: The condition that the records must match. The default matches all records.
    ///   - sortDescriptors: The sort keys. The default is the order of the first saves.
    public init(
        recordType: Record.RecordType, filter: Filter = .constant(true), sortedBy sortDescriptors: [Sort] = []
    ) {
        self.recordType = recordType
        self.filter = filter
        self.sortDescriptors = sortDescriptors
    }

    /// Creates a query with one sort key: `sortedBy: "name"`.
    ///
    /// - Parameters:
    ///   - recordType: The type of the records to find.
    ///   - filter: The condition that the records must match. The default matches all records.
    ///   - sortDescriptor: The sort key.
    public init(
        recordType: Record.RecordType, filter: Filter = .constant(true), sortedBy sortDescriptor: Sort
    ) {
        self.init(recordType: recordType, filter: filter, sortedBy: [sortDescriptor])
    }

    /// The results limit that lets the service choose the size of a page, which is ``defaultPageSize``.
    public static let maximumResults = 0

    /// The number of records on a page without a limit: 200.
    public static let defaultPageSize = 200
}

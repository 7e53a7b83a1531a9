/// The greatest size of requests and records, and the most work that one request may do.
///
/// By default, only work is limited: a batch is as large as memory. A program that will run on CloudKit too is tested under
/// ``cloudKit``.
public struct Limits: Sendable, Hashable {
    /// The most records that one request may save, delete or fetch by ID.
    public var itemsPerRequest: Int?

    /// The most bytes that the values of one record may take, assets not counted.
    public var bytesPerRecord: Int?

    /// The most references with the action ``Reference/Action/deleteSelf`` that may point to one record.
    public var ownedRecordsPerRecord: Int?

    /// The most units of work that one request may spend on evaluating its filter and order; `nil` for any number.
    ///
    /// A request that needs more throws ``CabinetError/Code/limitExceeded``. Work is counted, not timed, so the same request on the
    /// same records always ends in the same way. A unit is roughly 20 nanoseconds on a current computer:
    ///
    /// | Work | Units |
    /// |---|---|
    /// | a record that Cabinet looks at | 1, and 1 for each comparison of the filter and for each operand that is not a constant |
    /// | two records that Cabinet compares to sort them | 1 |
    /// | a list in which an element is searched, or each is tested | 1 for each element |
    /// | a text in which another is searched | 1 for each 16 bytes |
    /// | a text that is folded under options or split into words | 1 for each byte |
    /// | `LIKE` | 1 for each character that it tries |
    /// | a reference that a key path follows | 1 |
    /// | `MATCHES` | 20 for each text, and 1 for each step of the regular expression |
    /// | a regular expression that is compiled | 1,000, and 50,000 for each set of characters |
    /// | 2 steps of SQLite's virtual machine | 1 |
    ///
    /// What a server computes, such as PostgreSQL, is bounded by the number of its rows and is not counted; it stops when the task
    /// is cancelled. The default of 100,000,000 units is enough to scan a million records with a filter of some dozens of
    /// comparisons, and stops the most expensive filter within a few seconds.
    public var workPerRequest: Int?

    /// Creates limits.
    ///
    /// - Parameters:
    ///   - itemsPerRequest: The most records of one request; `nil` for any number.
    ///   - bytesPerRecord: The most bytes of one record; `nil` for any number.
    ///   - ownedRecordsPerRecord: The most `deleteSelf` references to one record; `nil` for any number.
    ///   - workPerRequest: The most units of work of one request; `nil` for any number, by default ``defaultWorkPerRequest``.
    public init(
        itemsPerRequest: Int? = nil, bytesPerRecord: Int? = nil, ownedRecordsPerRecord: Int? = nil,
        workPerRequest: Int? = Limits.defaultWorkPerRequest
    ) {
        self.itemsPerRequest = itemsPerRequest
        self.bytesPerRecord = bytesPerRecord
        self.ownedRecordsPerRecord = ownedRecordsPerRecord
        self.workPerRequest = workPerRequest
    }

    /// The units of work that one request may spend by default: 100,000,000.
    public static let defaultWorkPerRequest = WorkMeter.defaultLimit

    /// The limits of a container that is given none: only work is limited.
    public static let `default` = Limits()

    /// No limits, not even of work.
    public static let none = Limits(workPerRequest: nil)

    /// CloudKit's limits: 400 items a request, 1 MB a record, 750 `deleteSelf` references to a record.
    public static let cloudKit = Limits(itemsPerRequest: 400, bytesPerRecord: 1_000_000, ownedRecordsPerRecord: 750)
}

/// The limits of requests, of records, and of the work of one request.
///
/// By default, only work is limited: a batch may fill the memory. Use ``server`` for a program that serves others, and
/// ``cloudKit`` to test a program that will also run on CloudKit.
public struct Limits: Sendable, Hashable {
    /// The maximum number of records that one request may save, delete or fetch by ID.
    public var itemsPerRequest: Int?

    /// The maximum number of bytes of one record's values, without assets.
    public var bytesPerRecord: Int?

    /// The maximum number of references with the action ``Reference/Action/deleteSelf`` to one record.
    public var ownedRecordsPerRecord: Int?

    /// The maximum units of work for evaluating the filter and order of one request; `nil` for no limit.
    ///
    /// A request that needs more throws ``CabinetError/Code/limitExceeded``. Work is counted, not timed, so the same request on
    /// the same records always has the same outcome. A unit takes 5 to 20 nanoseconds for bytes and steps, and 50 to 200 where
    /// records are read:
    ///
    /// | Work | Units |
    /// |---|---|
    /// | a record that Cabinet evaluates | 1, and 1 for each comparison of the filter and for each operand that is not a constant |
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
    /// Work of a server, such as PostgreSQL, is limited by the number of its rows and is not counted; it stops when the task is
    /// cancelled. The default of 100,000,000 units is enough to scan a million records with a filter of some dozens of
    /// comparisons, and takes a core for seconds. ``server`` has a tenth of it. A scan of 100,000 records by one comparison took
    /// 300,000 units in memory and 150,000 in SQLite, a count by groups 100,000 and 600,000, and `LIKE` over 10,000 texts of
    /// 1,000 characters 10,000,000.
    public var workPerRequest: Int?

    /// Creates limits.
    ///
    /// - Parameters:
    ///   - itemsPerRequest: The maximum number of records of one request; `nil` for no limit.
    ///   - bytesPerRecord: The maximum number of bytes of one record; `nil` for no limit.
    ///   - ownedRecordsPerRecord: The maximum number of `deleteSelf` references to one record; `nil` for no limit.
    ///   - workPerRequest: The maximum units of work of one request; `nil` for no limit, by default ``defaultWorkPerRequest``.
    public init(
        itemsPerRequest: Int? = nil, bytesPerRecord: Int? = nil, ownedRecordsPerRecord: Int? = nil,
        workPerRequest: Int? = Limits.defaultWorkPerRequest
    ) {
        self.itemsPerRequest = itemsPerRequest
        self.bytesPerRecord = bytesPerRecord
        self.ownedRecordsPerRecord = ownedRecordsPerRecord
        self.workPerRequest = workPerRequest
    }

    /// The default of ``workPerRequest``: 100,000,000 units.
    public static let defaultWorkPerRequest = WorkMeter.defaultLimit

    /// The default limits of a container: only work is limited.
    public static let `default` = Limits()

    /// Limits for a program that serves others: 1,000 items a request, 1 MB a record, and a tenth of the default work.
    ///
    /// One request may take a core for about a second. That is enough to scan a million records by a few comparisons. Create a
    /// second container with more ``workPerRequest`` for the requests of an administrator.
    public static let server = Limits(
        itemsPerRequest: 1_000, bytesPerRecord: 1_000_000, workPerRequest: defaultWorkPerRequest / 10)

    /// No limits, not even of work.
    public static let none = Limits(workPerRequest: nil)

    /// CloudKit's limits: 400 items a request, 1 MB a record, 750 `deleteSelf` references to a record.
    public static let cloudKit = Limits(itemsPerRequest: 400, bytesPerRecord: 1_000_000, ownedRecordsPerRecord: 750)
}

/// How large requests and records may be.
///
/// Cabinet has no limits of its own: a batch is as large as memory. A program that will run on CloudKit too is tested under
/// ``cloudKit``.
public struct Limits: Sendable, Hashable {
    /// The most records that one request may save, delete or fetch by ID.
    public var itemsPerRequest: Int?

    /// The most bytes that the values of one record may take, assets not counted.
    public var bytesPerRecord: Int?

    /// The most references with the action ``Reference/Action/deleteSelf`` that may point to one record.
    public var ownedRecordsPerRecord: Int?

    /// Creates limits.
    ///
    /// - Parameters:
    ///   - itemsPerRequest: The most records of one request; `nil` for any number.
    ///   - bytesPerRecord: The most bytes of one record; `nil` for any number.
    ///   - ownedRecordsPerRecord: The most `deleteSelf` references to one record; `nil` for any number.
    public init(itemsPerRequest: Int? = nil, bytesPerRecord: Int? = nil, ownedRecordsPerRecord: Int? = nil) {
        self.itemsPerRequest = itemsPerRequest
        self.bytesPerRecord = bytesPerRecord
        self.ownedRecordsPerRecord = ownedRecordsPerRecord
    }

    /// No limits.
    public static let none = Limits()

    /// CloudKit's limits: 400 items a request, 1 MB a record, 750 `deleteSelf` references to a record.
    public static let cloudKit = Limits(itemsPerRequest: 400, bytesPerRecord: 1_000_000, ownedRecordsPerRecord: 750)
}

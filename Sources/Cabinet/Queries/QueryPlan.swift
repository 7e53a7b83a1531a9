/// One page of a query, as a backend is asked for it.
public struct QueryPlan: Sendable {
    /// The type of the records to find.
    public var recordType: Record.RecordType

    /// The zone to look in, or `nil` for all zones.
    public var zoneID: RecordZone.ID?

    /// Which records to find.
    public var filter: Filter { didSet { forgetValidity() } }

    /// The order of the records.
    ///
    /// Records that it leaves equal, and all if it is empty, are in the order of their insertion numbers.
    public var order: [Sort] { didSet { isValid = false } }

    /// Whether the page must hold the first records of the order; if not, any that match will do, in any order.
    ///
    /// A plan without an order has no position.
    public var isOrdered = true

    /// The place in the order after which the page begins, or `nil` for the first page.
    public var position: QueryPosition? { didSet { isValid = false } }

    /// The most records that the page may hold; at least 1.
    public var limit: Int { didSet { isValid = false } }

    /// The fields to get, or `nil` for all.
    public var keys: [Record.FieldKey]?

    /// What the schema knows of the record type's fields, and of those that references lead to; a field that is not among them
    /// is `nil` in every record.
    public var fields: FieldTypes { didSet { forgetValidity() } }

    /// Whether the plan was validated since it was changed last, so that those whom it is handed to need not do it again.
    private(set) var isValid = false

    /// Whether the filter alone was.
    private(set) var hasValidFilter = false

    /// Creates a plan.
    public init(
        recordType: Record.RecordType, zoneID: RecordZone.ID? = nil, filter: Filter, order: [Sort] = [],
        position: QueryPosition? = nil, limit: Int = .max, keys: [Record.FieldKey]? = nil,
        fields: FieldTypes
    ) {
        self.recordType = recordType
        self.zoneID = zoneID
        self.filter = filter
        self.order = order
        self.position = position
        self.limit = limit
        self.keys = keys
        self.fields = fields
    }
}

extension QueryPlan {
    private mutating func forgetValidity() {
        isValid = false
        hasValidFilter = false
    }

    /// Validates the plan, and remembers that it is valid until it is changed.
    mutating func validateOnce() throws {
        try validate()
        isValid = true
    }

    /// Validates the filter, and simplifies it.
    ///
    /// Simplifying drops mistakes, so they are looked for before.
    mutating func simplifyFilter() throws {
        try filter.validate(fields: fields)
        if filter.isPlain {
            hasValidFilter = true
        } else {
            filter = filter.simplified()
        }
    }
}

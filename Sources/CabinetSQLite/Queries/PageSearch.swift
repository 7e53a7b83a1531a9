import Cabinet

/// The search for the records of a plan: a statement for what SQL can decide, and the evaluator for the rest.
struct PageSearch {
    private let plan: QueryPlan
    private let connection: Connection
    private let table: Table
    private let condition: SQLCondition
    private let keyset: KeysetTranslator
    private let remainder: Filter?
    private var builder: SQLBuilder

    /// Translates a plan.
    ///
    /// - Parameter isCount: Whether to count all records, on whatever page, instead of getting one page.
    /// - Returns: `nil` if there are no records of the type or in the zone.
    init?(_ plan: QueryPlan, on connection: Connection, isCount: Bool = false) throws {
        guard !connection.catalog.isEmptyFile, let table = connection.catalog.tablesByType[plan.recordType],
            let scope = try connection.scope(of: plan)
        else { return nil }
        var translator = FilterTranslator(plan: plan, table: table, scope: scope, connection: connection)
        let (selection, remainder) = try translator.split(plan.filter)
        keyset = KeysetTranslator(plan: plan, table: table, scope: scope)
        var conditions = [selection, translator.zoneCondition(isOrderedByID: plan.order.isEmpty && !isCount)]
        if let position = plan.position, !isCount {
            conditions.append(keyset.condition(after: position, zones: connection.zones, &translator.builder))
        }
        condition = .all(conditions)
        builder = translator.builder
        self.plan = plan
        self.connection = connection
        self.table = table
        self.remainder = remainder
    }

    /// The page's records.
    mutating func page() throws -> [StoredRecord] {
        var page: [StoredRecord] = []
        guard let filter = clause else { return page }
        var (decoder, selection) = try decoder(keys: plan.keys)
        var sql = "SELECT \(selection) FROM \(table.quoted)\(filter) ORDER BY \(keyset.order)"
        if remainder == nil, plan.limit < .max { sql += " LIMIT \(builder.parameter(.integer(Int64(plan.limit))))" }
        // The evaluator's fields come after those of the page.
        let names = remainder == nil ? nil : plan.keys.map(FieldNames.init)
        try search(sql, &decoder) { record in
            page.append(record)
            if let names {
                page[page.count - 1].fields = RecordFields(
                    names: names, values: record.fields.values, isComplete: false)
            }
            return page.count < plan.limit
        }
        return page
    }

    /// The number of the plan's records.
    mutating func count() throws -> Int {
        guard let filter = clause else { return 0 }
        guard remainder != nil else {
            let statement = try statement("SELECT count(*) FROM \(table.quoted)\(filter)")
            defer { statement.reset() }
            return try statement.step() ? Int(clamping: statement.int64(0)) : 0
        }
        var count = 0
        var (decoder, selection) = try decoder(keys: [])
        try search("SELECT \(selection) FROM \(table.quoted)\(filter)", &decoder) { _ in
            count += 1
            return true
        }
        return count
    }

    /// Hands on the records that a statement selects and the evaluator accepts, until told to stop.
    private func search(_ sql: String, _ decoder: inout RowDecoder, _ found: (StoredRecord) -> Bool) throws {
        var evaluator = try remainder.map { try CompiledFilter($0, fields: plan.fields) }
        var targets = TargetCache(connection)
        let statement = try statement(sql)
        defer { statement.reset() }
        while try statement.step() {
            let record = try decoder.decode(statement, on: connection)
            if try evaluator?.matches(record, resolving: { try targets.record(for: $0) }) == false { continue }
            if !found(record) { return }
        }
    }

    /// A statement with its parameters bound.
    private func statement(_ sql: String) throws -> Statement {
        // One with very many parameters is too large to be kept for another query like it.
        let isSmall = builder.values.count <= 1000
        let statement = isSmall ? try connection.statements.statement(sql) : try Statement(sql, on: connection.handle)
        try builder.bind(to: statement)
        return statement
    }

    /// The WHERE clause; `nil` if no row can meet it.
    private var clause: String? {
        switch condition {
        case .always: ""
        case .never: nil
        case .sql(let text, _): " WHERE \(text)"
        }
    }

    /// What makes records of rows, with some fields and those that the evaluator reads, and the columns to select for
    /// it.
    private func decoder(keys: [Record.FieldKey]?) throws -> (RowDecoder, selection: String) {
        guard let keys else {
            let statements = try connection.statements(for: table)
            return (statements.decoder, statements.selection)
        }
        let others = (remainder?.keysToFetch(in: plan.fields) ?? []).filter { SystemField(rawValue: $0) == nil }
            .subtracting(keys)
        let decoder = RowDecoder(table: table, keys: keys + others.sorted(), path: connection.path)
        return (decoder, decoder.selection)
    }
}

/// The records that references point to, remembered while one query runs.
private struct TargetCache {
    private let connection: Connection
    private var known: [RecordID: StoredRecord?] = [:]

    /// More than this are not remembered, lest a query takes memory without bound.
    private static let limit = 10_000

    init(_ connection: Connection) {
        self.connection = connection
    }

    mutating func record(for id: RecordID) throws -> StoredRecord? {
        if let record = known[id] { return record }
        let record = try connection.records(for: [id], keys: nil).first ?? nil
        if known.count >= Self.limit { known.removeAll(keepingCapacity: true) }
        known.updateValue(record, forKey: id)
        return record
    }
}

extension Sort {
    /// Whether the order is none of the values of a column.
    fileprivate var isBeyondSQL: Bool { origin != nil || !options.isEmpty || key.utf8.contains(UInt8(ascii: ".")) }
}

extension Connection {
    /// Gets one page of a query's records.
    func records(matching plan: QueryPlan) throws -> [StoredRecord] {
        try plan.validate()
        if plan.order.contains(where: \.isBeyondSQL) { return try sortedRecords(matching: plan) }
        guard var search = try PageSearch(plan, on: self) else { return [] }
        return try search.page()
    }

    /// Gets one page in an order that SQL does not have: all records that match are found first.
    private func sortedRecords(matching plan: QueryPlan) throws -> [StoredRecord] {
        var unordered = plan
        unordered.order = []
        unordered.position = nil
        unordered.limit = .max
        unordered.keys = plan.keysToFetch(for: plan.keys)
        guard var search = try PageSearch(unordered, on: self) else { return [] }
        let found = try search.page()
        var sorted = plan
        sorted.filter = .constant(true)
        var targets = TargetCache(self)
        return try sorted.page(of: found) { try targets.record(for: $0) }
    }

    /// Counts a query's records, wherever the page begins and ends.
    func count(matching plan: QueryPlan) throws -> Int {
        try plan.validate()
        guard var search = try PageSearch(plan, on: self, isCount: true) else { return 0 }
        return try search.count()
    }
}

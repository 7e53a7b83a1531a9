import Cabinet

/// A memory backend with a fault.
struct MutantBackend: StorageBackend {
    let fault: Fault
    private let base = MemoryBackend()

    init(_ fault: Fault) {
        self.fault = fault
    }

    func read<Result: Sendable>(
        _ database: DatabaseKey,
        _ body: @escaping @Sendable (any StorageSnapshot) async throws -> Result
    ) async throws -> Result {
        let database = fault.database(database)
        if fault.isolation == .liveReads {
            return try await body(
                MutantView(fault: fault, base: AutocommitTransaction(backend: base, database: database)))
        }
        return try await base.read(database) { [fault] snapshot in
            try await body(MutantView(fault: fault, base: ReadOnlyTransaction(snapshot: snapshot)))
        }
    }

    func write<Result: Sendable>(
        _ database: DatabaseKey,
        _ body: @escaping @Sendable (any StorageTransaction) async throws -> Result
    ) async throws -> Result {
        let database = fault.database(database)
        switch fault.isolation {
        case .autocommit:
            return try await body(
                MutantView(fault: fault, base: AutocommitTransaction(backend: base, database: database)))
        case .noRollback:
            return try await base.write(database) { [fault] transaction -> Swift.Result<Result, any Error> in
                do {
                    return .success(try await body(MutantView(fault: fault, base: transaction)))
                } catch {
                    return .failure(error)
                }
            }.get()
        case .full, .liveReads, .neverCloses:
            return try await base.write(database) { [fault] transaction in
                try await body(MutantView(fault: fault, base: transaction))
            }
        }
    }

    func close() async {
        if fault.isolation != .neverCloses { await base.close() }
    }
}

/// A view that puts a fault between the core and another view.
private struct MutantView: StorageTransaction {
    let fault: Fault
    let base: any StorageTransaction

    func records(for ids: [RecordID], keys: [Record.FieldKey]?) async throws -> [StoredRecord?] {
        fault.fetched(try await base.records(for: ids, keys: fault.keys(keys)), ids)
    }

    func records(matching plan: QueryPlan) async throws -> [StoredRecord] {
        let page = fault.page(try await base.records(matching: fault.plan(plan)), plan)
        return try await base.schema().indexes[plan.recordType] == nil ? page : fault.indexedPage(page)
    }

    func count(matching plan: QueryPlan) async throws -> Int {
        fault.count(try await base.count(matching: fault.plan(plan)))
    }

    func value(
        of aggregate: Aggregate, over key: Record.FieldKey, matching plan: QueryPlan
    ) async throws -> FieldValue? {
        if let compute = fault.aggregate {
            return compute(aggregate, key, try await base.records(matching: fault.plan(plan)))
        }
        return try await base.value(of: aggregate, over: key, matching: fault.plan(plan))
    }

    func counts(by key: Record.FieldKey, matching plan: QueryPlan) async throws -> [ValueCount] {
        fault.valueCounts(try await base.counts(by: key, matching: fault.plan(plan)))
    }

    func explanation(of plan: QueryPlan) async throws -> QueryExplanation {
        fault.explanation(try await base.explanation(of: plan))
    }

    func references(to ids: [RecordID]) async throws -> [StoredReference] {
        fault.references(try await base.references(to: ids))
    }

    func schema() async throws -> StoredSchema {
        fault.schema(try await base.schema())
    }

    func reserveSequenceNumbers(_ count: Int) async throws -> Int64 {
        fault.sequenceNumber(try await base.reserveSequenceNumbers(fault.reserved(count)))
    }

    func add(_ fields: [StoredField], to recordType: Record.RecordType) async throws {
        try await base.add(fault.added(fields), to: recordType)
    }

    func setIndexes(_ indexes: Set<StoredIndex>, of recordType: Record.RecordType) async throws {
        let old = try await base.schema().indexes[recordType] ?? []
        try await base.setIndexes(fault.indexes(indexes, old), of: recordType)
    }

    func insert(_ records: [StoredRecord]) async throws {
        try await base.insert(fault.inserted(records))
    }

    func update(_ records: [StoredRecord]) async throws {
        var records = fault.updated(records)
        if fault.updatesMerge {
            for (index, old) in try await base.records(for: records.map(\.recordID), keys: nil).enumerated() {
                old?.fields.forEach { key, value in
                    if records[index].fields[key] == nil { records[index].fields[key] = value }
                }
            }
        }
        try await base.update(records)
    }

    func remove(_ ids: [RecordID]) async throws {
        try await base.remove(fault.removed(ids))
    }
}

/// A snapshot in the clothes of a transaction, so that one kind of view serves both.
private struct ReadOnlyTransaction: StorageTransaction {
    let snapshot: any StorageSnapshot

    func records(for ids: [RecordID], keys: [Record.FieldKey]?) async throws -> [StoredRecord?] {
        try await snapshot.records(for: ids, keys: keys)
    }

    func records(matching plan: QueryPlan) async throws -> [StoredRecord] { try await snapshot.records(matching: plan) }

    func count(matching plan: QueryPlan) async throws -> Int { try await snapshot.count(matching: plan) }

    func value(
        of aggregate: Aggregate, over key: Record.FieldKey, matching plan: QueryPlan
    ) async throws -> FieldValue? {
        try await snapshot.value(of: aggregate, over: key, matching: plan)
    }

    func counts(by key: Record.FieldKey, matching plan: QueryPlan) async throws -> [ValueCount] {
        try await snapshot.counts(by: key, matching: plan)
    }

    func explanation(of plan: QueryPlan) async throws -> QueryExplanation { try await snapshot.explanation(of: plan) }

    func references(to ids: [RecordID]) async throws -> [StoredReference] { try await snapshot.references(to: ids) }

    func schema() async throws -> StoredSchema { try await snapshot.schema() }

    func reserveSequenceNumbers(_ count: Int) async throws -> Int64 { throw refusal }

    func add(_ fields: [StoredField], to recordType: Record.RecordType) async throws { throw refusal }

    func setIndexes(_ indexes: Set<StoredIndex>, of recordType: Record.RecordType) async throws { throw refusal }

    func insert(_ records: [StoredRecord]) async throws { throw refusal }

    func update(_ records: [StoredRecord]) async throws { throw refusal }

    func remove(_ ids: [RecordID]) async throws { throw refusal }

    private var refusal: CabinetError { CabinetError(.internalError, "A snapshot cannot be written to.") }
}

/// A transaction each of whose calls is a transaction of its own.
private struct AutocommitTransaction: StorageTransaction {
    let backend: MemoryBackend
    let database: DatabaseKey

    func records(for ids: [RecordID], keys: [Record.FieldKey]?) async throws -> [StoredRecord?] {
        try await backend.read(database) { try await $0.records(for: ids, keys: keys) }
    }

    func records(matching plan: QueryPlan) async throws -> [StoredRecord] {
        try await backend.read(database) { try await $0.records(matching: plan) }
    }

    func count(matching plan: QueryPlan) async throws -> Int {
        try await backend.read(database) { try await $0.count(matching: plan) }
    }

    func value(
        of aggregate: Aggregate, over key: Record.FieldKey, matching plan: QueryPlan
    ) async throws -> FieldValue? {
        try await backend.read(database) { try await $0.value(of: aggregate, over: key, matching: plan) }
    }

    func counts(by key: Record.FieldKey, matching plan: QueryPlan) async throws -> [ValueCount] {
        try await backend.read(database) { try await $0.counts(by: key, matching: plan) }
    }

    func explanation(of plan: QueryPlan) async throws -> QueryExplanation {
        try await backend.read(database) { try await $0.explanation(of: plan) }
    }

    func references(to ids: [RecordID]) async throws -> [StoredReference] {
        try await backend.read(database) { try await $0.references(to: ids) }
    }

    func schema() async throws -> StoredSchema {
        try await backend.read(database) { try await $0.schema() }
    }

    func reserveSequenceNumbers(_ count: Int) async throws -> Int64 {
        try await backend.write(database) { try await $0.reserveSequenceNumbers(count) }
    }

    func add(_ fields: [StoredField], to recordType: Record.RecordType) async throws {
        try await backend.write(database) { try await $0.add(fields, to: recordType) }
    }

    func setIndexes(_ indexes: Set<StoredIndex>, of recordType: Record.RecordType) async throws {
        try await backend.write(database) { try await $0.setIndexes(indexes, of: recordType) }
    }

    func insert(_ records: [StoredRecord]) async throws {
        try await backend.write(database) { try await $0.insert(records) }
    }

    func update(_ records: [StoredRecord]) async throws {
        try await backend.write(database) { try await $0.update(records) }
    }

    func remove(_ ids: [RecordID]) async throws {
        try await backend.write(database) { try await $0.remove(ids) }
    }
}

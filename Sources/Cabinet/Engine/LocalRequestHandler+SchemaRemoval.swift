extension LocalRequestHandler {
    /// Drops a record type or field from databases, unless a drop would lose more than allowed.
    ///
    /// - Parameter limit: The greatest number of records, or values, to lose; `nil` to count them alone.
    /// - Returns: The number of records of the type, or of records with a value in the field.
    func drop(
        _ part: SchemaPart, losingAtMost limit: Int?, from databases: [DatabaseKey], _ step: MigrationStep?
    ) async throws -> Int {
        try SchemaRemovalRule.validate(part, declared: strictSchema?.rule)
        var count = 0
        for database in databases {
            count += try await read(database) { try await $0.count(of: part, in: try await $0.schema()) }
        }
        guard let limit else { return count }
        // Check all databases before the first is changed.
        try checkLoss(of: count, in: part, atMost: limit)
        var lost = 0
        for database in databases { lost += try await drop(part, losingAtMost: limit - lost, from: database, step) }
        return lost
    }

    private func checkLoss(of count: Int, in part: SchemaPart, atMost limit: Int) throws(CabinetError) {
        try SchemaRemovalRule.check(losing: count, of: part, atMost: limit, isStrict: strictSchema != nil)
    }

    private func drop(
        _ part: SchemaPart, losingAtMost limit: Int, from database: DatabaseKey, _ step: MigrationStep?
    ) async throws -> Int {
        let date = service.now()
        let (lost, cleanup) = try await write(database) { transaction, meter -> (Int, Cleanup?) in
            try await transaction.check(step)
            let schema = try await transaction.schema()
            guard schema.has(part) else {
                try await transaction.apply(step.mutations)
                return (0, nil)
            }
            let count = try await transaction.count(of: part, in: schema)
            try checkLoss(of: count, in: part, atMost: limit)
            let rules = try await transaction.schemaRules()
            var newRules = rules
            newRules.remove(part)
            let zones = try await transaction.zones(for: nil)
            let hidden = schema.hiddenParts(of: part)
            let removals = try await transaction.mutations(clearing: part, in: schema, meter)
            // A new number lets every token of the database's zones expire, also the newest.
            let number = try await transaction.reserveNumberOfSchemaChange()
            try await transaction.apply(removals, meter)
            var cleanup = Cleanup(numbers: number - 1..<number, date: date)
            cleanup.includesAllAssets = count > 0 && schema.hasAssets(in: part)
            let expirations = part.fieldKey == nil ? zones.flatMap { $0.mutations(forgettingAllAt: number) } : []
            try await transaction.apply(
                expirations + (hidden + [part]).map(StorageMutation.remove) + newRules.mutations(replacing: rules)
                    + cleanup.mutations + step.mutations)
            return (count, cleanup)
        }
        if let cleanup, needs(cleanup) { await cleanUp(cleanup, in: database) }
        return lost
    }

    /// Changes the type of a field from INT64 to DOUBLE.
    ///
    /// - Returns: The indexes of the databases in which the field has the type afterwards.
    func changeType(
        of part: SchemaPart, to type: FieldType, in databases: [DatabaseKey], _ step: MigrationStep?
    ) async throws -> [Int] {
        guard let key = part.fieldKey else {
            throw CabinetError(.invalidArguments, "A record type has no type of values; name a field.")
        }
        if let declared = try strictSchema?.rule.type(of: key, in: part.recordType), declared != type {
            throw CabinetError(
                .invalidArguments, "The container's schema declares \(part.subject) as \(declared), not as \(type).",
                fieldKey: key)
        }
        var having: [Int] = []
        for (index, database) in databases.enumerated() {
            let schema = try await read(database) { try await $0.schema() }
            _ = try SchemaRemovalRule.oldType(of: part, becoming: type, in: schema)
            if schema.has(part) { having.append(index) }
        }
        for index in databases.indices where having.contains(index) || step != nil {
            try await write(databases[index]) { transaction, meter in
                try await transaction.check(step)
                let schema = try await transaction.schema()
                if try SchemaRemovalRule.oldType(of: part, becoming: type, in: schema) != nil {
                    try await transaction.convert(part, to: type, schema, meter)
                }
                try await transaction.apply(step.mutations)
            }
        }
        return having
    }
}

extension StorageSnapshot {
    /// Counts the records of a type, or those with a value in a field.
    func count(of part: SchemaPart, in schema: StoredSchema) async throws -> Int {
        guard schema.has(part) else { return 0 }
        return try await count(matching: QueryPlan(holding: part, in: schema))
    }
}

extension StoredZone {
    /// Returns the mutations by which all deletions in the zone are forgotten, and all change tokens of it expire.
    func mutations(forgettingAllAt number: Int64) -> [StorageMutation] {
        var zone = self
        (zone.changeNumber, zone.expirationNumber) = (number, number)
        return [.forgetDeletions(in: zoneID, through: number), zone.mutation]
    }
}

extension StorageTransaction {
    /// Returns the mutations that remove the values of a field, or the records of a type.
    ///
    /// - Throws: ``CabinetError/Code/referenceViolation`` if a record of another type refers to one of them with a delete rule,
    ///   ``CabinetError/Code/limitExceeded`` if they are too many.
    fileprivate func mutations(
        clearing part: SchemaPart, in schema: StoredSchema, _ meter: WorkMeter
    ) async throws -> [StorageMutation] {
        try await mutations(ofRecordsHolding: part, for: .drop, in: schema, meter) { records in
            guard let key = part.fieldKey else {
                try await checkReferences(to: records)
                return records.map { record in
                    let deletion = StoredDeletion(
                        recordID: record.recordID, recordType: record.recordType, sequenceNumber: record.sequenceNumber,
                        date: record.modificationDate)
                    return .delete(deletion, replacing: record)
                }
            }
            return records.map { record in
                var cleared = record
                cleared.fields[key] = nil
                for hidden in schema.hiddenPaths(of: part) { cleared.fields[hidden.hiddenKey] = nil }
                return .update(cleared, replacing: record)
            }
        }
    }

    private func checkReferences(to records: [StoredRecord]) async throws {
        let references = try await references(to: records.map(\.recordID))
        let sources = try await load(StorageKeys(records: references.map(\.source), fields: [])).records
        for (reference, source) in zip(references, sources) where source?.recordType != records.first?.recordType {
            throw CabinetError(
                .referenceViolation,
                "The record \(reference.source) refers to \(reference.target) with a delete rule. Delete it, or remove the "
                    + "reference, before the drop of the record type.", recordID: reference.target)
        }
    }

    /// Gives a field another type, and converts its values.
    fileprivate func convert(
        _ part: SchemaPart, to type: FieldType, _ schema: StoredSchema, _ meter: WorkMeter
    ) async throws {
        guard let key = part.fieldKey else { return }
        let fields = schema.recordTypes[part.recordType] ?? [:]
        var name = "\(key)_old"
        while fields[name] != nil { name += "_" }
        let old = SchemaPart(part.recordType, name)
        let indexes = schema.indexes[part.recordType] ?? []
        let conversions = try await mutations(ofRecordsHolding: part, for: .conversion, in: schema, meter) { records in
            try records.map { record in
                let renamed = record.renaming(part, to: name)
                var converted = renamed
                if let value = record.fields[key] {
                    converted.fields[key] = try SchemaRemovalRule.double(value, of: part, in: record.recordID)
                }
                converted.fields[name] = nil
                return .update(converted, replacing: renamed)
            }
        }
        var mutations: [StorageMutation] = [
            .rename(part, to: name), .addFields([StoredField(name: key, type: type)], to: part.recordType),
        ]
        // An index would be built, and kept up to date, for nothing.
        if !indexes.isEmpty { mutations.insert(.setIndexes([], of: part.recordType), at: 0) }
        mutations += conversions
        mutations.append(.remove(old))
        if !indexes.isEmpty { mutations.append(.setIndexes(indexes, of: part.recordType)) }
        _ = try await reserveNumberOfSchemaChange()
        try await apply(mutations, meter)
    }

    /// Returns the mutations of the records of a type, or of those with a value in a field, which are read page by page.
    ///
    /// All are read before the first mutation is applied, as in every request, and so those that change are in memory, which is limited.
    func mutations(
        ofRecordsHolding part: SchemaPart, for change: LargeSchemaChange, in schema: StoredSchema, _ meter: WorkMeter,
        _ mutations: ([StoredRecord]) async throws -> [StorageMutation]
    ) async throws -> [StorageMutation] {
        var all: [StorageMutation] = []
        var size = 0
        var position: QueryPosition?
        while true {
            try meter.checkCancellation()
            let plan = try QueryPlan(holding: part, in: schema, after: position, limit: LargeSchemaChange.pageSize)
            let page = try await records(matching: plan)
            let changes = try await mutations(page)
            if !changes.isEmpty { size += LargeSchemaChange.size(of: page) }
            try change.check(size: size, of: part)
            all += changes
            guard page.count == plan.limit, let last = page.last else { return all }
            position = QueryPosition(values: [], insertionNumber: last.insertionNumber)
        }
    }
}

extension QueryPlan {
    /// Creates a plan for the records of a type, or those with a value in a field.
    init(
        holding part: SchemaPart, in schema: StoredSchema, after position: QueryPosition? = nil, limit: Int = .max
    ) throws {
        let filter = part.fieldKey.map { key -> Filter in
            .comparison(Filter.Comparison(.field(key), .notEqual, .constant(nil)))
        }
        try self.init(
            recordType: part.recordType, filter: filter ?? .constant(true), position: position, limit: limit,
            fields: FieldTypes(of: part.recordType, in: schema).ofCiphertexts)
    }
}

extension StoredSchema {
    /// Whether a record type or field can have assets.
    fileprivate func hasAssets(in part: SchemaPart) -> Bool {
        let fields = recordTypes[part.recordType] ?? [:]
        if let key = part.fieldKey { return fields[key]?.scalar == .asset }
        return fields.values.contains { $0.scalar == .asset }
    }
}

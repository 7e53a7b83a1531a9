extension LocalRequestHandler {
    func response(to request: ChangeSchemaRequest) async throws -> ChangeSchemaRequest.Response {
        if request.scopes.contains(where: isPending(in:)), !request.keepsRecords {
            throw CabinetError(
                .badDatabase,
                "The record types and fields of a mirror are those of its server. Rename them, drop them and change their types in the "
                    + "container that it mirrors, once for all devices.")
        }
        let databases = try request.scopes.map { (scope: $0, key: try databaseWithSchema($0)) }
        let step = request.step
        try step?.validate()
        if step != nil, databases.count != 1 {
            throw CabinetError(.invalidArguments, "A step of a migration changes one database.")
        }
        let response = try await response(to: request, in: databases)
        await refreshSchema(after: databases.map(\.key))
        return response
    }

    private func response(
        to request: ChangeSchemaRequest, in databases: [(scope: DatabaseScope, key: DatabaseKey)]
    ) async throws -> ChangeSchemaRequest.Response {
        let step = request.step
        switch request.change {
        case .rename(let newName):
            try SchemaRenameRule.validate(request.part, to: newName, declared: strictSchema?.rule)
            let having = try await rename(request.part, to: newName, in: databases.map(\.key), step)
            return ChangeSchemaRequest.Response(scopes: having.map { databases[$0].scope })
        case .drop(let limit):
            let count = try await drop(request.part, losingAtMost: limit, from: databases.map(\.key), step)
            return ChangeSchemaRequest.Response(lossCount: count)
        case .setType(let type):
            let having = try await changeType(of: request.part, to: type, in: databases.map(\.key), step)
            return ChangeSchemaRequest.Response(scopes: having.map { databases[$0].scope })
        }
    }

    /// Renames a record type or field in databases.
    ///
    /// - Returns: The indexes of the databases that have it under the new name afterwards.
    private func rename(
        _ part: SchemaPart, to newName: String, in databases: [DatabaseKey], _ step: MigrationStep?
    ) async throws -> [Int] {
        var unfinished: [DatabaseKey] = []
        var having: [Int] = []
        // Check every database before the first is changed, so that a refusal leaves all unchanged.
        for (index, database) in databases.enumerated() {
            let (isNeeded, hasNew) = try await read(database) { snapshot in
                let schema = try await snapshot.schema()
                let isNeeded = try SchemaRenameRule.isNeeded(
                    part, to: newName, in: schema, try await snapshot.schemaRules(),
                    losing: try await snapshot.losses(renaming: part, to: newName, schema))
                return (isNeeded, schema.has(part.renamed(newName)))
            }
            if isNeeded || step != nil { unfinished.append(database) }
            if isNeeded || hasNew { having.append(index) }
        }
        for database in unfinished {
            strictSchema?.setUnprepared(database)
            try await write(database) { transaction, _ in
                try await transaction.check(step)
                // Another client may have changed the schema since the read.
                let rules = try await transaction.schemaRules()
                let schema = try await transaction.schema()
                let losses = try await transaction.losses(renaming: part, to: newName, schema)
                guard try SchemaRenameRule.isNeeded(part, to: newName, in: schema, rules, losing: losses) else {
                    return try await transaction.apply(step.mutations)
                }
                // A strict container may have created the new name, without values.
                let new = part.renamed(newName)
                let removal: [StorageMutation] =
                    schema.has(new) ? (schema.hiddenParts(of: new) + [new]).map { .remove($0) } : []
                var newRules = rules
                if !removal.isEmpty { newRules.remove(new) }
                let subscriptions = try await transaction.mutationsRenaming(part, to: newName)
                let isEmptied = !removal.isEmpty && part.fieldKey == nil
                let expired = isEmptied ? try await transaction.zones(withDeletionsOf: newName) : []
                let number = try await transaction.reserveNumberOfSchemaChange()
                let expirations = expired.flatMap { $0.mutations(forgettingAllAt: number) }
                newRules.rename(part, to: newName)
                try await transaction.apply(
                    expirations + removal + [.rename(part, to: newName)]
                        + schema.renamesOfHiddenFields(of: part, to: newName)
                        + newRules.mutations(replacing: rules) + subscriptions
                        + step.mutations)
            }
        }
        return having
    }
}

extension StorageSnapshot {
    /// Counts the values, or records, under the new name of a rename, which would be lost.
    fileprivate func losses(renaming part: SchemaPart, to newName: String, _ schema: StoredSchema) async throws -> Int {
        schema.has(part) ? try await count(of: part.renamed(newName), in: schema) : 0
    }

    /// Returns the mutations by which all users' subscriptions follow a rename.
    fileprivate func mutationsRenaming(_ part: SchemaPart, to newName: String) async throws -> [StorageMutation] {
        var changes = SubscriptionMutations()
        for stored in try await subscriptions(of: nil) {
            guard let renamed = stored.renaming(part, to: newName) else { continue }
            changes.remove(stored)
            try changes.add(renamed)
        }
        return try await changes.mutations(in: self)
    }
}

extension StorageTransaction {
    /// Returns the zones with deletions of a record type.
    fileprivate func zones(withDeletionsOf recordType: Record.RecordType) async throws -> [StoredZone] {
        var found: [StoredZone] = []
        for zone in try await zones(for: nil) where try await hasDeletions(of: recordType, in: zone.zoneID) {
            found.append(zone)
        }
        return found
    }

    private func hasDeletions(of recordType: Record.RecordType, in zoneID: RecordZone.ID) async throws -> Bool {
        var number: Int64 = 0
        while true {
            let page = try await changes(in: zoneID, after: number, limit: 400, of: .deletions)
            for case .deleted(let deletion) in page where deletion.recordType.hasSameScalars(as: recordType) {
                return true
            }
            guard page.count == 400, let last = page.last else { return false }
            number = last.sequenceNumber
        }
    }
}

extension StoredSchema {
    /// Returns the mutations by which the hidden fields of a field follow its rename.
    fileprivate func renamesOfHiddenFields(of part: SchemaPart, to newName: String) -> [StorageMutation] {
        guard part.fieldKey != nil else { return [] }
        return hiddenPaths(of: part).map {
            .rename(SchemaPart(part.recordType, $0.hiddenKey), to: $0.renamed(newName).hiddenKey)
        }
    }

    /// Returns the hidden fields of a field.
    func hiddenParts(of part: SchemaPart) -> [SchemaPart] {
        guard part.fieldKey != nil else { return [] }
        return hiddenPaths(of: part).map { SchemaPart(part.recordType, $0.hiddenKey) }
    }
}

extension ChangeSchemaRequest {
    /// Whether the request counts losses, or drops a type or field of one database that has no values.
    fileprivate var keepsRecords: Bool {
        change == .drop(losingAtMost: nil) || scopes.count == 1 && change == .drop(losingAtMost: 0)
    }
}

import Cabinet

/// Copies the parts that have no changes of their own, and completes a copy after all changes were copied.
extension CopyPass {
    /// Adds the record types and fields of the source that no record uses, its roles, grants and unique values, the states of its
    /// migrations, and the entries of keys, shares and users.
    func copySchema(_ checkpoint: CopyCheckpoint) async throws {
        let (schema, rules) = (try await source.schema(), try await source.schemaRules())
        let (copiedSchema, copiedRules) = try await target.read(database) {
            (try await $0.schema(), try await $0.schemaRules())
        }
        let migrations = try await source.migrations()
        let copiedMigrations = try await target.read(database) { try await $0.migrations() }
        for range in StorageKey.copiedRanges { try await copyEntries(in: range, checkpoint) }
        if copiedSchema.recordTypes == schema.recordTypes, copiedRules == rules, copiedMigrations == migrations {
            return
        }
        try await target.write(database) { transaction in
            try await checkpoint.check(in: transaction)
            let additions = schema.additions(to: try await transaction.schema())
            try await transaction.apply(
                additions + rules.mutations(replacing: try await transaction.schemaRules())
                    + migrations.map { $1.mutation(of: $0) })
        }
    }

    /// Makes the target's entries in a range of keys those of the source, page by page.
    private func copyEntries(in range: Range<StorageKey>, _ checkpoint: CopyCheckpoint) async throws {
        var rest = range
        while !rest.isEmpty {
            try checkCancellation()
            let page = try await source.entries(in: rest, limit: Self.pageSize)
            let part = rest.lowerBound..<page.end(in: rest, limit: Self.pageSize)
            let copies = try await target.read(database) { try await $0.entries(in: part, limit: .max) }
            if copies != page {
                try await target.write(database) { transaction in
                    try await checkpoint.check(in: transaction)
                    try await transaction.apply(
                        Set(copies.map(\.key)).subtracting(page.map(\.key)).map { .setEntry($0, nil) }
                            + page.map { .setEntry($0.key, $0.text) })
                }
            }
            rest = part.upperBound..<rest.upperBound
        }
    }

    /// Makes the target's subscriptions those of the source.
    func copySubscriptions(_ checkpoint: CopyCheckpoint) async throws {
        let all = Set(try await source.subscriptions(of: nil))
        let copies = Set(try await target.read(database) { try await $0.subscriptions(of: nil) })
        let (new, old) = (all.subtracting(copies), copies.subtracting(all))
        if new.isEmpty, old.isEmpty { return }
        try await target.write(database) { transaction in
            try await checkpoint.check(in: transaction)
            var changes = SubscriptionMutations()
            for stored in old { changes.remove(stored) }
            for stored in new { try changes.add(stored) }
            try await transaction.apply(try await changes.mutations(in: transaction))
        }
        var counts = CopyCounts()
        counts.changedSubscriptions = new.count + old.count
        meter.count(counts)
    }

    /// Builds the indexes of the source, after all records were copied.
    func setIndexes() async throws {
        guard let checkpoint else { return }
        let indexes = try await source.schema().indexes
        let copy = try await target.read(database) { try await $0.schema() }
        for recordType in copy.recordTypes.keys.sorted() {
            let (new, old) = (indexes[recordType] ?? [], copy.indexes[recordType] ?? [])
            if new == old { continue }
            try checkCancellation()
            try await target.write(database) { transaction in
                try await checkpoint.check(in: transaction)
                try await transaction.apply([.setIndexes(new, of: recordType)])
            }
        }
    }

    /// Compares the target with the source.
    ///
    /// - Returns: The content of both.
    func verify() async throws -> StoreContent {
        // An earlier pass may have copied assets of records that changed before they were copied.
        if let checkpoint, try await !source.schema().assetKeys.isEmpty {
            try await target.write(database) { transaction in
                try await checkpoint.check(in: transaction)
                try await AssetRule.removeAllUnused(in: transaction)
            }
        }
        meter.begin(.verifying)
        return try await target.read(database) { [source, database, meter, checkpoint] snapshot in
            // Another writer's change of the target is not a fault of the copy.
            try await checkpoint?.check(in: snapshot)
            var comparison = StoreComparison(of: source, with: snapshot, in: database, meter: meter)
            return try await comparison.run()
        }
    }

    /// Makes the target ready for use: from now on it assigns numbers above its beginning.
    mutating func makeReady() async throws {
        guard let known = checkpoint, !known.isReady else { return }
        checkpoint = try await target.write(database) { transaction in
            var checkpoint = known
            try await checkpoint.check(in: transaction)
            try await transaction.reserveSequenceNumbers(upTo: checkpoint.beginning)
            checkpoint.isReady = true
            try await checkpoint.apply([], to: transaction)
            return checkpoint
        }
    }
}

extension [StorageEntry] {
    /// The first key after a page of entries in a range.
    func end(in range: Range<StorageKey>, limit: Int) -> StorageKey {
        count < limit ? range.upperBound : last?.key.next ?? range.upperBound
    }
}

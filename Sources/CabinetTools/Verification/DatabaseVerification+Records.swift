import Cabinet

/// Checks records: their content, and that a query and a fetch by ID return the same records.
extension DatabaseVerification {
    /// A page of records of one type.
    private struct Page {
        /// Records with all their fields.
        var records: [StoredRecord] = []
        /// Records whose fields cannot be read.
        var unreadable: [StoredRecord] = []
        /// The plan of the next page; `nil` after the last one.
        var next: QueryPlan?
    }

    func checkRecords() async throws {
        for type in schema.recordTypes.keys.sorted() {
            var indexes = IndexChecker(type: type, schema: schema)
            let total = try await attempt(
                "The number of \(type) records", await snapshot.count(matching: plan(of: type, in: nil)))
            indexes.sampleEvery = max((total ?? 0) / IndexChecker.sampleSize, 1)
            var isComplete = true
            var found = 0
            for zoneID in zoneIDs {
                let before = counts.records
                try await forEachPage(of: type, in: zoneID) { page in
                    guard let page else { return isComplete = false }
                    try await check(page, type: type, zoneID: zoneID, &indexes)
                }
                found += counts.records - before
            }
            if isComplete, let total, found != total {
                isComplete = try await checkStrays(&indexes, found: found, total: total)
            }
            lacksRecords = lacksRecords || !isComplete
            try await checkIndexes(indexes, isComplete: isComplete)
        }
    }

    private func check(
        _ page: Page, type: Record.RecordType, zoneID: RecordZone.ID, _ indexes: inout IndexChecker
    ) async throws {
        for record in page.records {
            contents[zoneID, default: Fingerprint()].add(ChangeIdentity(record))
            for issue in RecordCheck.issues(of: record, schema: schema, last: lastSequenceNumber) {
                collector.add(issue)
            }
            if record.recordType != type || record.recordID.zoneID != zoneID {
                collector.add(
                    .identity, record, "A query for \(type) records in the zone '\(zoneID)' finds the record.")
            }
            indexes.add(record)
        }
        for record in page.unreadable {
            contents[zoneID, default: Fingerprint()].add(ChangeIdentity(record))
            lacksFields = true
            indexes.isComplete = false
        }
        counts.records += page.records.count + page.unreadable.count
        let fetched = try await checkIdentities(of: page.records)
        if fetched.count < page.records.count {
            // A search that names a record finds it by its ID, so it would repeat this finding as one of an index.
            indexes.removeSamples(besides: Set(fetched), among: page.records)
        }
        try await checkTargets(of: page.records, from: fetched + page.unreadable.map(\.recordID))
        try await checkAssets(of: page.records)
        let issues = try await attempt(
            "Shares", await snapshot.sharingIssues(of: page.records, schema: schema))
        for issue in issues ?? [] { collector.add(issue) }
        try pause()
    }

    /// Fetches by ID the records that a query has found.
    ///
    /// - Returns: The IDs of those that a fetch finds too.
    private func checkIdentities(of records: [StoredRecord]) async throws -> [RecordID] {
        let ids = records.map(\.recordID)
        do {
            let fetched = try await snapshot.records(for: ids, keys: nil)
            for (record, fetched) in zip(records, fetched) { checkIdentity(of: record, fetched) }
            return zip(ids, fetched).compactMap { $1 == nil ? nil : $0 }
        } catch {
            try StoreVerifier.rethrowInterruption(error)
        }
        var found: [RecordID] = []
        for record in records {
            do {
                let fetched = try await snapshot.records(for: [record.recordID], keys: nil).first ?? nil
                checkIdentity(of: record, fetched)
                if fetched != nil { found.append(record.recordID) }
            } catch {
                try StoreVerifier.rethrowInterruption(error)
                collector.add(
                    .identity, record, "A query finds the record, and a fetch by ID fails. \(error.sentence)",
                    isRepairable: true)
            }
        }
        return found
    }

    private func checkIdentity(of record: StoredRecord, _ fetched: StoredRecord?) {
        if fetched == record { return }
        let problem = fetched == nil ? "a fetch by ID does not." : "a fetch by ID finds a different record."
        collector.add(
            .identity, record, "A query finds the record, and \(problem)", isRepairable: fetched == nil)
    }

    /// Finds records in zones that do not exist.
    ///
    /// - Returns: Whether all records could be read.
    private func checkStrays(_ indexes: inout IndexChecker, found: Int, total: Int) async throws -> Bool {
        var strays = 0
        var isComplete = true
        try await forEachPage(of: indexes.type, in: nil) { page in
            guard let page else { return isComplete = false }
            for record in page.records where zones[record.recordID.zoneID] == nil { indexes.add(record) }
            if !page.unreadable.isEmpty { indexes.isComplete = false }
            for record in page.records + page.unreadable where zones[record.recordID.zoneID] == nil {
                strays += 1
                collector.add(
                    .record, record,
                    "The record is in the zone '\(record.recordID.zoneID)', which does not exist. "
                        + "Save the zone to reach the record again.")
            }
            try pause()
        }
        counts.records += strays
        if isComplete, found + strays != total {
            collector.add(
                IntegrityIssue(
                    .index,
                    "The pages have \((found + strays).counted("record")) of \(indexes.type); expected \(total).",
                    recordType: indexes.type, isRepairable: true))
        }
        return isComplete
    }

    /// Passes all records of a type to a closure; `nil` if unknown records cannot be read.
    private func forEachPage(
        of type: Record.RecordType, in zoneID: RecordZone.ID?, _ body: (Page?) async throws -> Void
    ) async throws {
        var plan = try plan(of: type, in: zoneID)
        while let page = try await page(of: plan) {
            try await body(page)
            guard let next = page.next else { return }
            plan = next
        }
        try await body(nil)
    }

    private func page(of plan: QueryPlan) async throws -> Page? {
        func next(after found: [StoredRecord]) throws -> QueryPlan? {
            found.count < plan.limit ? nil : try found.last.map { try plan.continued(after: $0) }
        }
        do {
            let found = try await snapshot.records(matching: plan)
            return Page(records: found, next: try next(after: found))
        } catch {
            try StoreVerifier.rethrowInterruption(error)
        }
        // One unreadable value must not hide the others: read the IDs first, then one record after the other.
        let ids = try QueryPlan(
            recordType: plan.recordType, zoneID: plan.zoneID, filter: plan.filter, position: plan.position,
            limit: plan.limit, keys: [], fields: plan.fields)
        let position = plan.position.map { " after number \($0.insertionNumber)" } ?? ""
        let zone = plan.zoneID.map { " in the zone '\($0)'" } ?? ""
        guard
            let found = try await attempt(
                "The \(plan.recordType) records\(zone)\(position)", await snapshot.records(matching: ids))
        else { return nil }
        var page = Page(next: try next(after: found))
        for record in found {
            do {
                // Not sorted by ID, which is checked later.
                if let whole = try await self.record(like: record, plan) { page.records.append(whole) }
            } catch {
                try StoreVerifier.rethrowInterruption(error)
                page.unreadable.append(record)
                try await addUnreadable(record, plan, error)
            }
        }
        return page
    }

    /// Returns a record, with all fields or the named ones, as a query for its ID alone finds it.
    private func record(
        like record: StoredRecord, keys: [Record.FieldKey]? = nil, _ plan: QueryPlan
    ) async throws -> StoredRecord? {
        let one = try self.plan(
            of: plan.recordType, in: record.recordID.zoneID, filter: .hasID(record.recordID), keys: keys)
        return try await snapshot.records(matching: one).first
    }

    private func addUnreadable(_ record: StoredRecord, _ plan: QueryPlan, _ error: any Error) async throws {
        var key: Record.FieldKey?
        for field in plan.fields.own.keys.sorted() where key == nil {
            do {
                _ = try await self.record(like: record, keys: [field], plan)
            } catch {
                try StoreVerifier.rethrowInterruption(error)
                key = field
            }
        }
        collector.add(
            IntegrityIssue(
                .unreadable, "The record cannot be read. \(error.sentence)", recordType: record.recordType,
                recordID: record.recordID, fieldKey: key))
    }
}

extension Filter {
    /// Matches the records with an ID's name, in any zone.
    static func hasID(_ id: RecordID) -> Filter {
        let reference = FieldValue.reference(Reference(recordID: id, action: .none))
        return .comparison(
            Comparison(.field(SystemField.recordID.rawValue), .equal, .constant(reference)))
    }
}

/// A saved record as the change feed lists it.
struct ChangeIdentity: Hashable {
    let recordID: RecordID
    let recordType: Record.RecordType
    let number: Int64

    init(_ record: StoredRecord) {
        recordID = record.recordID
        recordType = record.recordType
        number = record.sequenceNumber
    }
}

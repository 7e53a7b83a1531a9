import Cabinet

/// Checks references: that their targets exist, and that they are found from them.
extension DatabaseVerification {
    /// Checks the references of some records, and those to them.
    ///
    /// - Parameters:
    ///   - records: The records.
    ///   - targets: The IDs of the records that are found when a reference to them is followed.
    func checkTargets(of records: [StoredRecord], from targets: [RecordID]) async throws {
        var held: [StoredReference] = []
        for record in records {
            for reference in record.references where reference.hasRule { held.append(reference) }
        }
        counts.references += held.count
        let exists = try await existing(Set(held.map(\.target)))
        for reference in held {
            // The existence of targets that cannot be looked up is unknown.
            guard let isThere = exists[reference.target] else {
                lacksFields = true
                continue
            }
            if isThere { heldReferences.add(reference) } else { addDangling(reference) }
        }
        guard !targets.isEmpty else { return }
        if let found = try await attempt("The records that refer to others", await snapshot.references(to: targets)) {
            for reference in found { foundReferences.add(reference) }
        } else {
            lacksFields = true
        }
    }

    /// Finds which records exist, as far as they can be read.
    private func existing(_ ids: Set<RecordID>) async throws -> [RecordID: Bool] {
        if ids.isEmpty { return [:] }
        let ids = Array(ids)
        var found: [RecordID: Bool] = [:]
        do {
            for (id, record) in zip(ids, try await snapshot.records(for: ids, keys: [])) { found[id] = record != nil }
        } catch {
            try StoreVerifier.rethrowInterruption(error)
            // A record that cannot be read gets a finding of its own.
            for id in ids {
                if let record = try? await snapshot.records(for: [id], keys: []).first { found[id] = record != nil }
            }
        }
        return found
    }

    private func addDangling(_ reference: StoredReference) {
        let subject: String
        var key: Record.FieldKey?
        switch reference.place {
        case .field(let field, let action): (subject, key) = ("The reference with the action '\(action)'", field)
        case .parent: subject = "The parent reference"
        }
        collector.add(
            IntegrityIssue(
                .reference,
                "\(subject) points to \(reference.target), which does not exist. Save the target again, or the record "
                    + "without the reference.", recordID: reference.source, fieldKey: key))
    }

    /// Compares the references in records with those that are found from their targets, after all records were read.
    func checkReferences() async throws {
        guard heldReferences != foundReferences, !lacksRecords, !lacksFields else { return }
        var isFound = false
        for type in schema.recordTypes.keys.sorted() {
            var plan = try plan(of: type, in: nil)
            while collector.hasRoom(for: .referenceIndex),
                let page = try await attempt("The \(type) records", await snapshot.records(matching: plan))
            {
                isFound = try await findDifferences(in: page) || isFound
                try pause()
                guard page.count == plan.limit, let last = page.last else { break }
                plan = try plan.continued(after: last)
            }
        }
        if isFound { return }
        collector.add(
            IntegrityIssue(
                .referenceIndex,
                "The records hold \(heldReferences.count.counted("reference")) with a rule, and from their targets, "
                    + "\(foundReferences.count.counted("is", "are")) found.", isRepairable: true))
    }

    /// Finds references that are not found from their targets, and those that are found although no record holds them.
    private func findDifferences(in page: [StoredRecord]) async throws -> Bool {
        let held = page.flatMap(\.references).filter(\.hasRule)
        let targets = Array(Set(held.map(\.target) + page.map(\.recordID)))
        let found = try await snapshot.references(to: targets)
        var missing = ReferenceCounter(held)
        for reference in found { missing.remove(reference) }
        let sources = Array(Set(found.map(\.source)))
        let holders = try await snapshot.records(for: sources, keys: nil)
        var invented = ReferenceCounter(found)
        for holder in holders { for reference in holder?.references ?? [] { invented.remove(reference) } }
        var hasFound = !invented.isEmpty
        for reference in missing.sorted {
            // A target that does not exist has a finding of its own.
            if try await snapshot.records(for: [reference.target], keys: []).first == .some(nil) { continue }
            hasFound = true
            add(
                reference,
                "The reference to \(reference.target) is not found from its target: it would remain after "
                    + "the target is deleted.")
        }
        for reference in invented.sorted {
            add(reference, "A reference that the record does not hold is found from \(reference.target).")
        }
        return hasFound
    }

    private func add(_ reference: StoredReference, _ message: String) {
        var key: Record.FieldKey?
        if case .field(let field, _) = reference.place { key = field }
        collector.add(
            IntegrityIssue(.referenceIndex, message, recordID: reference.source, fieldKey: key, isRepairable: true))
    }
}

/// The number of occurrences of each reference.
private struct ReferenceCounter {
    private var counts: [StoredReference: Int] = [:]

    init(_ references: [StoredReference]) {
        for reference in references { counts[reference, default: 0] += 1 }
    }

    mutating func remove(_ reference: StoredReference) {
        guard let count = counts[reference] else { return }
        counts[reference] = count > 1 ? count - 1 : nil
    }

    var isEmpty: Bool { counts.isEmpty }

    /// The references, always in the same order.
    var sorted: [StoredReference] { counts.keys.sorted { "\($0)" < "\($1)" } }
}

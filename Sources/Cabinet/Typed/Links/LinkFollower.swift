/// Fetches the targets of links, with one request for each level of links, or several if a level exceeds the limits of one.
struct LinkFollower {
    let database: Database

    /// The links to follow, each as a list of names.
    private let paths: [[Record.FieldKey]]

    init(_ database: Database, keys: [Record.FieldKey]) {
        self.database = database
        paths = keys.map { $0.split(separator: ".").map(String.init) }
    }

    /// Returns the targets of the records' links by ID; those that do not exist are omitted.
    func targets(of records: [Record]) async throws -> [RecordID: Record] {
        // The optimizer of Swift 6.3 crashes on these loops in an asynchronous function.
        var progress = LinkProgress(records)
        while let missing = progress.nextLevel(of: paths) {
            progress.finishLevel(with: try await existing(missing))
        }
        return progress.known
    }

    /// Fetches the records that exist, with more than one request if they are too many for one.
    private func existing(_ ids: [RecordID]) async throws -> [RecordID: Record] {
        if ids.isEmpty { return [:] }
        do {
            return try await database.records(for: ids).compactMapValues { result in
                if case .failure(let error) = result, error.code == .unknownItem { return nil }
                return try result.get()
            }
        } catch CabinetError.Code.limitExceeded where ids.count > 1 {
            let half = ids.count / 2
            let first = try await existing(Array(ids.prefix(half)))
            return try await first.merging(existing(Array(ids.dropFirst(half)))) { $1 }
        }
    }
}

/// The targets that were found, level by level.
private struct LinkProgress {
    var known: [RecordID: Record] = [:]
    /// The records that each path has led to so far.
    private var ends: [[Record.FieldKey]: [Record]]
    /// The IDs that each path leads to on the current level.
    private var ids: [[Record.FieldKey]: [RecordID]] = [:]
    private var depth = 0

    init(_ records: [Record]) {
        ends = [[]: records]
    }

    /// Begins the next level.
    ///
    /// - Returns: The IDs of unknown targets, or `nil` if no path is longer.
    mutating func nextLevel(of paths: [[Record.FieldKey]]) -> [RecordID]? {
        let prefixes = Set(paths.filter { $0.count > depth }.map { Array($0.prefix(depth + 1)) })
        if prefixes.isEmpty { return nil }
        ids = [:]
        for prefix in prefixes {
            var seen: Set<RecordID> = []
            for record in ends[prefix.dropLast()] ?? [] {
                ids[prefix, default: []] += record.targetIDs(of: prefix[depth]).filter { seen.insert($0).inserted }
            }
        }
        return Array(Set(ids.values.joined()).filter { known[$0] == nil })
    }

    /// Ends a level with the unknown targets that exist.
    mutating func finishLevel(with found: [RecordID: Record]) {
        known.merge(found) { $1 }
        for (prefix, ids) in ids { ends[prefix] = ids.compactMap { known[$0] } }
        depth += 1
    }
}

extension [Record.FieldKey] {
    fileprivate func dropLast() -> [Record.FieldKey] { Array(prefix(Swift.max(0, count - 1))) }
}

extension Record {
    /// The IDs that a field of references points to.
    fileprivate func targetIDs(of key: FieldKey) -> [RecordID] {
        switch fieldValue(forKey: key) {
        case .reference(let reference)?: [reference.recordID]
        case .list(.reference(let references))?: references.map(\.recordID)
        default: []
        }
    }
}

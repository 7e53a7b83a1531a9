/// Fetches the targets of links, with one request for each level of links.
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
        var known: [RecordID: Record] = [:]
        // The records that each path has led to so far.
        var ends: [[Record.FieldKey]: [Record]] = [[]: records]
        for depth in 0..<(paths.map(\.count).max() ?? 0) {
            let prefixes = Set(paths.filter { $0.count > depth }.map { Array($0.prefix(depth + 1)) })
            var ids: [[Record.FieldKey]: [RecordID]] = [:]
            for prefix in prefixes {
                var seen: Set<RecordID> = []
                for record in ends[prefix.dropLast()] ?? [] {
                    ids[prefix, default: []] += record.targetIDs(of: prefix[depth]).filter { seen.insert($0).inserted }
                }
            }
            let missing = Set(ids.values.joined()).filter { known[$0] == nil }
            known.merge(try await existing(Array(missing))) { $1 }
            for (prefix, ids) in ids { ends[prefix] = ids.compactMap { known[$0] } }
        }
        return known
    }

    /// Fetches the records that exist.
    private func existing(_ ids: [RecordID]) async throws -> [RecordID: Record] {
        if ids.isEmpty { return [:] }
        return try await database.records(for: ids).compactMapValues { result in
            if case .failure(let error) = result, error.code == .unknownItem { return nil }
            return try result.get()
        }
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

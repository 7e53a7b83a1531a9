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
            if !missing.isEmpty {
                for (id, result) in try await database.records(for: Array(missing)) {
                    switch result {
                    case .success(let record): known[id] = record
                    case .failure(let error) where error.code == .unknownItem: break
                    case .failure(let error): throw error
                    }
                }
            }
            for (prefix, ids) in ids { ends[prefix] = ids.compactMap { known[$0] } }
        }
        return known
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

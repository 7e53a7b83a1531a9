import Synchronization

/// The indexes of the words in a database, which are created by the first search of a record type.
final class WordIndexes: Sendable {
    private let indexes = Mutex<[Record.RecordType: WordIndex]>([:])

    /// The largest number of record types that have an index at a time.
    private static let maximumCount = 16

    /// Returns the records that may match a plan; `nil` if no index has the words that its filter searches for.
    func candidates(for plan: QueryPlan, in content: MemoryContent) throws -> [StoredRecord]? {
        guard let table = content.tables[plan.recordType], let (fields, search) = content.schema.search(of: plan) else {
            return nil
        }
        while true {
            try WorkMeter.current?.checkCancellation()
            let found = try indexes.withLock { indexes in
                if indexes[plan.recordType]?.fields != fields {
                    if indexes.count >= Self.maximumCount { indexes = [:] }
                    indexes[plan.recordType] = WordIndex(fields: fields)
                }
                return try indexes[plan.recordType]?.records(matching: search, in: table)
            }
            if let found { return found }
        }
    }
}

extension StoredSchema {
    /// Returns the fields of a plan's type that are marked as searchable, and the words that the plan's records have there;
    /// `nil` if its filter has no search that these fields decide.
    func search(of plan: QueryPlan) -> (fields: [Record.FieldKey], search: WordSearch)? {
        var fields: [Record.FieldKey] = []
        for case .searchable(let key) in indexes[plan.recordType] ?? []
        where recordTypes[plan.recordType]?[key] == .string {
            fields.append(key)
        }
        return WordSearch(plan.filter, in: Set(fields), of: plan.fields).map { (fields.sorted(), $0) }
    }
}

import Synchronization

/// The indexes of the words in a database, which are created by the first search of a record type.
final class WordIndexes: Sendable {
    private let indexes = Mutex<[Record.RecordType: WordIndex]>([:])

    /// The largest number of record types that have an index at a time.
    private static let maximumCount = 16

    /// Returns the records that may match a plan; `nil` if no index has the words that its filter searches for.
    func candidates(for plan: QueryPlan, in content: MemoryContent) throws -> [StoredRecord]? {
        guard let (fields, search) = content.schema.search(of: plan) else { return nil }
        return try read(plan.recordType, fields, in: content) { try $0.records(matching: search) }
    }

    /// Returns the records that may match a plan, from the most relevant ones on; `nil` if an index does not have that order.
    func rankedCandidates(for plan: QueryPlan, in content: MemoryContent) throws -> RankedRecords? {
        guard let ranked = plan.rankedSearch?.search, let (fields, search) = content.schema.search(of: plan),
            ranked.keys == fields
        else { return nil }
        return try read(plan.recordType, fields, in: content) {
            try $0.records(matching: search, orderedBy: ranked, after: plan.position)
        }
    }

    /// Reads the index of a type once it has the words of all records.
    private func read<Result: Sendable>(
        _ recordType: Record.RecordType, _ fields: [Record.FieldKey], in content: MemoryContent,
        _ body: (WordIndex) throws -> Result
    ) throws -> Result? {
        guard let table = content.tables[recordType] else { return nil }
        while true {
            try WorkMeter.current?.checkCancellation()
            // Other searches go on between two parts of the texts.
            let result: Result? = try indexes.withLock { indexes in
                if indexes[recordType]?.fields != fields {
                    if indexes.count >= Self.maximumCount { indexes = [:] }
                    indexes[recordType] = WordIndex(fields: fields)
                }
                guard try indexes[recordType]?.readTexts(of: table) == true else { return nil }
                return try indexes[recordType].map(body)
            }
            if let result { return result }
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

import Cabinet

extension CabinetCompetitor {
    func prepareFetch(_ items: [Samples.Item]) async throws {
        fetched = items.map { RecordID(recordName: $0.id) }
    }

    func fetch(each: Int, _ tally: Tally) async throws {
        let database = try database
        if each == 1 {
            for id in fetched { tally.add([try await database.record(for: id)]) }
            return
        }
        for start in stride(from: 0, to: fetched.count, by: each) {
            let ids = Array(fetched[start..<min(start + each, fetched.count)])
            let records = try await database.records(for: ids)
            if tally.isDigesting {
                // In the order of the request, as C returns them.
                for id in ids { tally.add([try records[id]?.get()].compactMap(\.self)) }
            } else {
                for case .success in records.values { tally.count(1) }
            }
        }
    }

    /// The items of a list.
    static func query(forList list: Samples.List) -> Query {
        Query(
            recordType: "Items", filter: .field("list") == RecordID(recordName: list.id), sortedBy: [Sort("name")])
    }

    func list(_ list: Samples.List, _ tally: Tally) async throws {
        tally.add(try await database.records(matching: Self.query(forList: list), resultsLimit: 100).matchResults)
    }

    func list(named name: String, _ tally: Tally) async throws {
        let query = Self.query(forListNamed: name)
        tally.add(try await database.records(matching: query, resultsLimit: 100).matchResults)
    }

    static func query(forListNamed name: String) -> Query {
        Query(recordType: "Items", filter: .field("list.name") == name, sortedBy: [Sort("name")])
    }

    func prefix(_ prefix: String, number: Int64, _ tally: Tally) async throws {
        let query = Self.query(forPrefix: prefix, number: number)
        tally.add(try await database.records(matching: query, resultsLimit: 100).matchResults)
    }

    static func query(forPrefix prefix: String, number: Int64) -> Query {
        Query(
            recordType: "Items", filter: .field("name").beginsWith(prefix) && .field("number") > number,
            sortedBy: [Sort("name")])
    }

    func scan(number: Int64, _ tally: Tally) async throws {
        tally.add(try await database.allRecords(matching: Self.query(forNumber: number)))
    }

    static func query(forNumber number: Int64) -> Query {
        Query(recordType: "Items", filter: .field("number") == number)
    }

    func iterate(_ tally: Tally) async throws {
        let records = try database.recordSequence(matching: Query(recordType: "Items"))
        if tally.isDigesting {
            for try await record in records { tally.add([record]) }
        } else {
            for try await _ in records { tally.count(1) }
        }
    }

    func search(_ words: [String], _ tally: Tally) async throws {
        let query = Self.query(forWords: words)
        tally.add(try await database.records(matching: query, resultsLimit: 100).matchResults)
    }

    func search(_ word: String, beginning: String, _ tally: Tally) async throws {
        let query = Self.query(forSearch: "\(word) \(beginning)")
        tally.add(try await database.records(matching: query, resultsLimit: 1_000).matchResults)
    }

    static func query(forSearch text: String) -> Query {
        Query(recordType: "Notes", filter: .search(text), sortedBy: .relevance)
    }

    static func query(forWords words: [String]) -> Query {
        Query(recordType: "Notes", filter: .text(words.joined(separator: " ")))
    }
}

extension Tally {
    /// Counts records, and digests their content.
    func add(_ records: [Record]) {
        guard isDigesting else { return count(records.count) }
        for record in records {
            let name: String? = record["name"] ?? record["text"]
            let reference: Reference? = record["list"]
            add(
                id: record.recordID.recordName, name: name, number: record["number"] ?? 0,
                list: reference?.recordID.recordName ?? "")
        }
    }

    /// Counts the results of a query.
    func add(_ results: [(RecordID, Result<Record, CabinetError>)]) {
        guard isDigesting else { return count(results.count) }
        for (_, result) in results { if case .success(let record) = result { add([record]) } }
    }
}

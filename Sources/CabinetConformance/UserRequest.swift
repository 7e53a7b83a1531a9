import Cabinet
import CabinetTesting
import Foundation

/// A request of a user, which can be sent to several databases.
struct UserRequest: CustomStringConvertible {
    /// The name and the operands.
    let description: String

    private let perform: (Container) async throws -> [String]

    /// Sends the request, and returns the answer in lines.
    func answer(_ world: HiddenRecordsWorld) async throws -> String {
        do {
            return try await perform(world.container).joined(separator: "\n")
        } catch let error as CabinetError {
            return Self.text(error)
        }
    }

    /// Generates a request.
    static func random(using generator: inout SeededGenerator) -> UserRequest {
        func pick<Value>(_ values: [Value]) -> Value { values[Int.random(in: values.indices, using: &generator)] }
        let (type, number) = (pick(["Items", "Items", "Notes", "Secrets"]), Int.random(in: 0..<9, using: &generator))
        let field = pick(["number", "name", "secret.number", "note.number", "own.number", "secret.name"])
        let (counted, by) = (pick(["Items", "Notes", "Secrets"]), pick(["secret", "note", "own", "holds"]))
        let condition = pick([
            "number == \(number)", "secret.number == \(number)", "note.number > \(number)", "own.number < \(number)",
            "secret.name BEGINSWITH 'hidden'", "secret == nil", "NOT note.name == 'own'", "TRUEPREDICATE",
            "creatorUserRecordID == nil", "SUBQUERY(\(counted).\(by), $x, $x.number > \(number)).@count > 0",
            "note.number + secret.number > \(number)",
        ])
        let filter = (try? Filter(condition)) ?? .constant(true)
        let query = Query(recordType: type, filter: filter, sortedBy: [Sort(field)])
        let unsorted = Query(recordType: type, filter: filter)
        let name = "\(pick(["item", "own", "note", "secret", "nothing"])) \(number)"
        let (id, limit) = (RecordID.named(name), pick([1, 2, 100]))
        let what = "\(type) where \(condition) by \(field)"
        let requests = [
            Self("fetch \(name)") { [line(try await $0.publicDatabase.record(for: id))] },
            Self("query \(what), \(limit) at a time") { try await pages(of: query, limit, $0.publicDatabase) },
            Self("all \(what)") { try await $0.publicDatabase.allRecords(matching: query).map(line) },
            Self("count \(what)") { ["\(try await $0.publicDatabase.count(matching: unsorted))"] },
            Self("sum of \(field) of \(what)") {
                ["\(try await $0.publicDatabase.sum(of: field, matching: unsorted, as: Double.self))"]
            },
            Self("minimum of \(field) of \(what)") {
                [text(of: try await $0.publicDatabase.minimum(of: field, matching: unsorted))]
            },
            Self("counts by \(field) of \(what)") {
                try await $0.publicDatabase.counts(by: field, matching: unsorted).map { "\($0)" }
            },
            Self("explain \(what)") {
                var explanation = try await $0.publicDatabase.explain(query)
                // The store's own words have its numbers of databases.
                explanation.details = []
                return ["\(explanation)"]
            },
            Self("changes, \(limit) at a time") { try await changes(limit, $0.publicDatabase) },
            Self("changed zones") {
                let page = try await $0.publicDatabase.databaseChanges(since: nil)
                return page.modifications.map(\.zoneID.zoneName) + [try text(of: page.changeToken)]
            },
            Self("notifications") {
                try await $0.fetchNotifications(since: nil, includingOwnChanges: true).notifications.map {
                    "\($0.subscriptionID) \($0.event)"
                }
            },
            Self("save \(name) over what is stored") {
                let record = Record("Items", name, ["number": number, "secret": Reference("secret 1", .deny)])
                return [line(try await $0.publicDatabase.save(record, savePolicy: .allKeys))]
            },
            Self("create \(name)") { [line(try await $0.publicDatabase.save(Record("Notes", name, ["number": 1])))] },
            Self("delete \(name)") { ["\(try await $0.publicDatabase.deleteRecord(withID: id))"] },
            Self("a batch with \(name)") {
                let results = try await $0.publicDatabase.modifyRecords(
                    saving: [Record("Items", "new \(number)"), Record("Items", name)], deleting: [.named("item 3")],
                    atomically: false)
                return
                    (results.saveResults.map { "\($0) \(text(of: $1))" }
                    + results.deleteResults.map { "\($0) \(text(of: $1.map { "deleted" }))" }).sorted()
            },
            Self("average of \(field) by number of \(what)") {
                try await $0.publicDatabase.averages(of: field, by: "number", matching: unsorted).map { "\($0)" }
            },
        ]
        return pick(requests)
    }

    private init(_ description: String, _ perform: @escaping (Container) async throws -> [String]) {
        self.description = description
        self.perform = perform
    }
}

extension UserRequest {
    private static func line(_ record: Record) -> String {
        let fields = record.allKeys().sorted().map { "\($0)=\(record[$0].map { "\($0)" } ?? "nil")" }
        return "\(record.recordID) \(fields) \(record.creatorUserRecordID?.recordName ?? "")"
    }

    private static func text(_ error: CabinetError) -> String {
        let parts = error.partialErrorsByItemID.map { "\($0): \(text($1))" }.sorted()
        return ["\(error.code): \(error)"].joined() + parts.joined(separator: "\n")
    }

    private static func text(of result: Result<some Any, CabinetError>) -> String {
        switch result {
        case .success(let record as Record): line(record)
        case .success(let value): "\(value)"
        case .failure(let error): text(error)
        }
    }

    private static func text(of value: (any RecordValue)?) -> String { value.map { "\($0)" } ?? "nil" }

    /// A token or cursor, decoded, without the name of the store's life, which is random.
    private static func text(of token: some Encodable) throws -> String {
        let coded = try JSONDecoder().decode(String.self, from: JSONEncoder().encode(token))
        var json = try JSONSerialization.jsonObject(with: Data(base64Encoded: coded) ?? Data()) as? [String: Any] ?? [:]
        json["end"] = nil
        return String(decoding: try JSONSerialization.data(withJSONObject: json, options: .sortedKeys), as: UTF8.self)
    }

    private static func pages(of query: Query, _ limit: Int, _ database: Database) async throws -> [String] {
        var lines: [String] = []
        var page = try await database.records(matching: query, resultsLimit: limit)
        while true {
            lines += ["page"] + page.matchResults.map { text(of: $0.1) }
            guard let cursor = page.queryCursor else { return lines }
            lines.append(try text(of: cursor))
            page = try await database.records(continuingMatchFrom: cursor, resultsLimit: limit)
        }
    }

    /// The changes of all pages.
    ///
    /// The pages end at sequence numbers, so that their sizes show how many changes the user may not read.
    private static func changes(_ limit: Int, _ database: Database) async throws -> [String] {
        var lines: [String] = []
        var token: ServerChangeToken?
        while true {
            let page = try await database.recordZoneChanges(inZoneWith: .default, since: token, resultsLimit: limit)
            lines += page.modificationResultsByID.map { text(of: $1.map { line($0.record) }) }
            lines += page.deletions.map { "-\($0.recordID)" }
            if !page.moreComing { return lines.sorted() + [try text(of: page.changeToken)] }
            token = page.changeToken
        }
    }
}

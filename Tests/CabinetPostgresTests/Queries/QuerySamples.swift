import Cabinet
import Foundation
import StorageTestSupport

/// Records to ask for: 40 lists of two owners, and 10 items in each.
enum QuerySamples {
    static let schema = StoredSchema(recordTypes: [
        "Items": [
            "name": .string, "n": .int64, "m": .int64, "score": .double, "list": .reference, "tags": .list(of: .string),
            "numbers": .list(of: .int64), "others": .list(of: .reference), "when": .timestamp, "place": .location,
            "weights": .list(of: .double),
        ],
        "Lists": ["name": .string, "rank": .int64, "owner": .reference],
        "Owners": ["city": .string, "home": .location],
    ])

    static func fill(
        _ backend: any StorageBackend, _ indexes: [Record.RecordType: Set<StoredIndex>] = [:]
    ) async throws {
        var records = ["berlin", "paris"].map { StoredRecord($0, type: "Owners", [("city", .string($0))]) }
        for list in 0..<40 {
            let owner = Reference(list == 7 ? "paris" : "berlin")
            records.append(
                StoredRecord(
                    "list\(list)", type: "Lists",
                    [
                        ("name", .string("List \(list)")), ("rank", .int64(Int64(list % 2))),
                        ("owner", .reference(owner)),
                    ]))
            records += (0..<10).map { item(list, $0) }
        }
        let all = records
        try await backend.write(.public) { transaction in
            for (type, fields) in schema.recordTypes.sorted(by: { $0.key < $1.key }) {
                let sorted = fields.sorted { $0.key < $1.key }
                try await transaction.add(sorted.map { StoredField(name: $0.key, type: $0.value) }, to: type)
                try await transaction.setIndexes(indexes[type] ?? [], of: type)
            }
            _ = try await transaction.insertWithSchema(all)
        }
    }

    private static func item(_ list: Int, _ item: Int) -> StoredRecord {
        StoredRecord(
            "item\(list)-\(item)",
            [
                ("name", .string("Item \(item)")), ("n", .int64(Int64(item))), ("m", .int64(Int64(list))),
                ("score", .double(Double(item) / 4)), ("list", .reference(Reference("list\(list)"))),
                ("tags", .list(.string(["t\(item)", "all"]))), ("numbers", .list(.int64([Int64(item)]))),
                ("place", .location(Location(latitude: Double(list), longitude: Double(item)))),
                ("others", .list(.reference([Reference("list\(list)", .none)]))),
                ("weights", .list(.double([Double(item)]))),
            ])
    }

    static func plan(_ filter: Filter, _ order: [Sort] = [], limit: Int = .max) throws -> QueryPlan {
        try QueryPlan(
            recordType: "Items", filter: filter, order: order, limit: limit, fields: FieldTypes(of: "Items", in: schema)
        )
    }
}

extension StorageBackend {
    func explain(_ plan: QueryPlan) async throws -> QueryExplanation {
        try await read(.public) { try await $0.aggregates.explanation(of: plan) }
    }

    func count(_ plan: QueryPlan) async throws -> Int {
        try await read(.public) { try await $0.aggregates.count(matching: plan) }
    }

    func names(_ plan: QueryPlan) async throws -> [String] {
        try await read(.public) { try await $0.records(matching: plan).map(\.recordID.recordName) }
    }
}

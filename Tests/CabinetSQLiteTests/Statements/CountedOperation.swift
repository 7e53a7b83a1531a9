import Cabinet
import Testing

/// An operation whose statements are counted.
enum CountedOperation: String, CaseIterable, Sendable {
    case fetchOne, fetchHundred, firstPage, secondPage, earlyPage, latePage, count, changes
    case saveOne, saveHundred, saveFourHundred, updateOne, updateHundred, cascade, transaction

    /// Prepares the operation.
    ///
    /// - Parameter round: A different number below 10 each time, so that other records and values are used.
    /// - Returns: The operation.
    func prepared(in store: CountedStore, round: Int) async throws -> () async throws -> Void {
        let database = store.database
        let query = Query(
            recordType: "Items",
            filter: try Filter("list == %@", Reference(recordID: CountedStore.listID(round), action: .none)),
            sortedBy: [Sort("name")])
        let all = Query(recordType: "Items", sortedBy: [Sort("name")])
        switch self {
        case .fetchOne:
            return { _ = try await database.record(for: CountedStore.itemID(7, of: round)) }
        case .fetchHundred:
            let ids = (0..<100).map { CountedStore.itemID($0, of: round) }
            return {
                let records = try await database.records(for: ids)
                #expect(records.count == 100)
            }
        case .firstPage:
            return {
                let page = try await database.records(matching: query, resultsLimit: 40)
                #expect(page.matchResults.count == 40)
            }
        case .secondPage: return try await page(of: query, after: 40, in: store)
        case .earlyPage: return try await page(of: all, after: 40 + round, in: store)
        case .latePage: return try await page(of: all, after: 900 + round, in: store)
        case .count:
            return {
                let count = try await database.count(matching: query)
                #expect(count == 100)
            }
        case .changes:
            let token = try await database.recordZoneChanges(
                inZoneWith: .default, since: nil, desiredKeys: [], resultsLimit: .max
            ).changeToken
            try await save(20, to: store, round: round)
            return {
                let changes = try await database.recordZoneChanges(inZoneWith: .default, since: token)
                #expect(changes.modificationResultsByID.count == 20)
            }
        case .saveOne: return { try await save(1, to: store, round: round) }
        case .saveHundred: return { try await save(100, to: store, round: round) }
        case .saveFourHundred: return { try await save(400, to: store, round: round) }
        case .updateOne: return try await update(1, in: store, round: round)
        case .updateHundred: return try await update(100, in: store, round: round)
        case .transaction:
            let ids = (0..<2).map { CountedStore.itemID($0, of: round) }
            return {
                try await database.transaction { t in
                    var records = try await t.records(for: ids).values.map { try $0.get() }
                    for index in records.indices { records[index]["number"] = 1_000 + round }
                    try t.save(records)
                }
            }
        case .cascade:
            return { _ = try await database.deleteRecord(withID: CountedStore.listID(round)) }
        }
    }

    private func page(
        of query: Query, after count: Int, in store: CountedStore
    ) async throws -> () async throws -> Void {
        let database = store.database
        let cursor = try #require(try await database.records(matching: query, resultsLimit: count).queryCursor)
        return {
            let page = try await database.records(continuingMatchFrom: cursor, resultsLimit: 40)
            #expect(page.matchResults.count == 40)
        }
    }

    private func save(_ count: Int, to store: CountedStore, round: Int) async throws {
        // The last list, which is never deleted.
        let items = (0..<count).map { CountedStore.item(1_000 * (round + 1) + $0, of: 11) }
        for result in try await store.database.modifyRecords(saving: items, deleting: []).saveResults.values {
            _ = try result.get()
        }
    }

    private func update(
        _ count: Int, in store: CountedStore, round: Int
    ) async throws -> () async throws -> Void {
        let ids = (0..<count).map { CountedStore.itemID($0, of: round) }
        var records = try await store.database.records(for: ids).values.map { try $0.get() }
        for index in records.indices { records[index]["number"] = 1_000 + round }
        return { [records] in
            for result in try await store.database.modifyRecords(saving: records, deleting: []).saveResults.values {
                _ = try result.get()
            }
        }
    }
}

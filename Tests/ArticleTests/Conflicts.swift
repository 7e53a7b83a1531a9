import Cabinet
import Testing

@Suite("The articles about conflicts and references: their programs run")
struct Conflicts {
    private let database: Database

    init() throws {
        database = try Container(identifier: "com.example.conflicts", backend: MemoryBackend()).privateDatabase
    }

    private func staleItem() async throws -> Record {
        var item = try await database.save(Record(recordType: "Items"))
        try await database.update(item.recordID) { $0["number"] = 4 }
        item["name"] = "Oat milk"
        return item
    }

    @Test func merging() async throws {
        var item = try await staleItem()
        // snippet: merge
        do {
            item = try await database.save(item)
        } catch let error as CabinetError
            where error.code == .serverRecordChanged
        {
            guard var merged = error.serverRecord else { throw error }
            merged["name"] = item["name"]
            item = try await database.save(merged)
        }
        // end
        #expect(item["name"] as? String == "Oat milk" && item["number"] as? Int == 4)

        // snippet: keep
        item = try await database.save(item)
        // end

        // snippet: update
        try await database.update(item.recordID) { item in
            item["number"] = (item["number"] ?? 1) + 1
        }
        // end
        #expect(try await database.record(for: item.recordID)["number"] as? Int == 5)
    }

    @Test func transactions() async throws {
        struct SoldOut: Error {}
        let showID: RecordID = "show"
        var one = Record(recordType: "Seats")
        one["show"] = Reference(recordID: showID, action: .none)
        try await database.save([Record(recordType: "Shows", recordID: showID), one])
        // snippet: transaction
        let seat = try await database.transaction { t in
            var show = try await t.record(for: showID)
            let seats = Query(
                recordType: "Seats",
                filter: .field("show") == showID && .field("guest") == nil)
            guard var seat = try await t.first(matching: seats) else {
                throw SoldOut()
            }
            seat["guest"] = "Ann"
            show["sold"] = (show["sold"] ?? 0) + 1
            try t.save([seat, show])
            return seat
        }
        // end
        #expect(try await database.record(for: one.recordID) == seat)
        #expect(seat["guest"] == "Ann")
        #expect(try await database.record(for: showID)["sold"] == 1)
    }

    @Test func resolvers() async throws {
        var item = try await staleItem()
        // snippet: resolver
        item = try await database.save(
            item,
            resolvingConflictsWith: .fieldwise(whenBothChanged: .server))
        // end
        #expect(item["name"] as? String == "Oat milk" && item["number"] as? Int == 4)
    }

    @Test func custom() async throws {
        var item = try await staleItem()
        item["number"] = 7
        // snippet: closure
        item = try await database.save(
            item,
            resolvingConflictsWith: .fieldwise { conflict in
                // The larger number wins; of other fields, the client's.
                let values = [conflict.clientValue, conflict.serverValue]
                return values.compactMap { $0 as? Int }.max()
                    ?? conflict.clientValue
            })
        // end
        #expect(item["number"] as? Int == 7)
    }

    @Test func references() async throws {
        let list = try await database.save(Record(recordType: "Lists"))
        var item = Record(recordType: "Items")
        // snippet: reference
        item["list"] = Reference(record: list, action: .deleteSelf)
        // end
        try await database.save(item)
        // snippet: referring
        let items = try await database.allRecords(
            matching: Query(
                recordType: "Items", filter: .field("list") == list))
        // end
        #expect(items.count == 1)
    }
}

import Cabinet
import Foundation

extension HierarchyRun {
    /// Throws unless each user sees what the model says, by every kind of request.
    mutating func check() async throws {
        for user in Self.participants { try await check(user) }
        var copy = copies["_anna"] ?? FeedCopy()
        try await copy.fetch(Self.zoneID, from: own, pageSize: 3)
        try expect("The owner's changes", copy.numbers, equals: model.nodes.mapValues(\.number))
        try expect("The owner's shares", copy.shares, equals: Set(model.shares.keys))
        copies["_anna"] = copy
        let records = try await own.records(for: model.nodes.keys.map(id), desiredKeys: ["number"])
        for (name, _) in model.nodes {
            let record = try require(records[id(name)], "The result of \(name)").get()
            try expect("The share of \(name)", record.share?.recordID.recordName, equals: model.share(withRoot: name))
        }
    }

    private mutating func check(_ user: String) async throws {
        let database = try database(of: user)
        let shares = model.acceptedShares(of: user)
        let zones = try await database.allRecordZones().map(\.zoneID)
        try expect("The zones of \(user)", zones, equals: shares.isEmpty ? [] : [Self.sharedID])
        if shares.isEmpty {
            copies[user] = nil
            try await expectError(.zoneNotFound) {
                try await database.recordZoneChanges(inZoneWith: Self.sharedID, since: nil)
            }
            try await expectError(.zoneNotFound) {
                try await database.count(matching: Query(recordType: "Nodes"), inZoneWith: Self.sharedID)
            }
            return
        }
        let view = model.view(of: user)
        let results = try await database.records(for: (model.names + model.shares.keys).map(sharedID))
        var found: Set<String> = []
        for (id, result) in results {
            switch result {
            case .success(let record):
                found.insert(id.recordName)
                guard let node = view[id.recordName] else { continue }
                try expect("The number of \(id)", record["number"], equals: node.number)
                try expect("The parent of \(id)", record.parent?.recordID.recordName, equals: node.parent)
            case .failure(let error): try expect("The error of \(id)", error.code, equals: .unknownItem)
            }
        }
        try expect("The records that \(user) fetches", found, equals: shares.union(view.keys))
        try await checkQueries(of: user, database, view)
        var copy = copies[user] ?? FeedCopy()
        try await copy.fetch(Self.sharedID, from: database, pageSize: 2)
        try expect("The changes of \(user)", copy.numbers, equals: view.mapValues(\.number))
        try expect("The changed shares of \(user)", copy.shares, equals: shares)
        copies[user] = copy
    }

    private func checkQueries(
        of user: String, _ database: Database, _ view: [String: HierarchyModel.Node]
    ) async throws {
        let nodes = view.filter { $0.value.type == "Nodes" }
        func names(_ filter: String) async throws -> Set<String> {
            let query = Query(recordType: "Nodes", filter: try Filter(filter), sortedBy: ["number"])
            let count = try await database.count(matching: query, inZoneWith: Self.sharedID)
            let found = try await database.allRecords(matching: query, inZoneWith: Self.sharedID)
            try expect("The number of records with \(filter)", count, equals: found.count)
            return Set(found.map(\.recordID.recordName))
        }
        func expectNames(_ filter: String, _ matches: (String, HierarchyModel.Node) -> Bool) async throws {
            try expect(
                "The records of \(user) with \(filter)", try await names(filter),
                equals: Set(nodes.filter { matches($0.key, $0.value) }.keys))
        }
        try await expectNames("TRUEPREDICATE") { _, _ in true }
        try await expectNames("number > 4") { $1.number > 4 }
        try await expectNames("link.number > 4") { _, node in node.link.flatMap { view[$0]?.number } ?? 0 > 4 }
        try await expectNames("SUBQUERY(Leaves.parent, $x, $x.number > 2).@count > 0") { name, _ in
            view.contains { $0.value.type == "Leaves" && $0.value.parent == name && $0.value.number > 2 }
        }
        let sum = try await database.sum(
            of: "number", matching: Query(recordType: "Nodes"), inZoneWith: Self.sharedID, as: Int.self)
        try expect("The sum of \(user)", sum, equals: nodes.values.map(\.number).reduce(0, +))
    }
}

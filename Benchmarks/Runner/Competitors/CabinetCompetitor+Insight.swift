import Cabinet

extension CabinetCompetitor {
    func hold(_ tally: Tally) async throws -> Int {
        let before = ProcessUsage.allocatedBytes
        let held = try await database.allRecords(matching: Query(recordType: "Items"))
        let bytes = ProcessUsage.allocatedBytes - before
        tally.add(held)
        return bytes
    }

    func explanations(_ samples: Samples) async throws -> [String: String] {
        let list = samples.list(samples.listCount - 1)
        let queries: [String: Query] = [
            "d": Self.query(forList: list),
            "e": Self.query(forPrefix: "ab", number: 500),
            "f": Self.query(forNumber: 100),
            "j": Query(recordType: "Items"),
            "p": Self.query(forListNamed: list.name),
            "s'": Self.query(forWords: [Samples.word(200)]),
            "s''": Self.query(forSearch: "word200 word3"),
            "p1": Self.byName,
        ]
        var texts: [String: String] = [:]
        for (row, query) in queries {
            let explanation = try await database.explain(query)
            let access = explanation.access.map { access in
                switch access {
                case .scan: "scan"
                case .index(let name, _): "index `\(name)`"
                case .nothing: "nothing"
                }
            }
            texts[row] =
                access.joined(separator: ", ") + (explanation.ordering == .byIndex ? ", in its order" : ", sorted")
        }
        return texts
    }
}

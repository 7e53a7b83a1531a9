import Cabinet
import Foundation

extension ConformanceRule {
    /// The pages of a query's records.
    static let paging: [ConformanceRule] = [
        ConformanceRule(
            .paging, "the pages hold every record once",
            law: "For any page size and any order, the pages together are the records of the query, "
                + "each once.",
            source: .cloudKit("CKQueryOperation.h, cursor")
        ) { world in
            let database = try world.privateDatabase()
            try await database.saveAll(
                (0..<23).map { Record("Samples", "item \($0)", ["x": $0 % 3 == 0 ? nil : $0 % 4, "y": "\($0)"]) })
            let orders: [[Sort]] = [
                [], [Sort("x")], [Sort("x", ascending: false)], [Sort("x"), Sort("y", ascending: false)],
                [Sort("x", ascending: false), Sort("missing"), Sort("y")],
            ]
            for order in orders {
                let query = Query(recordType: "Samples", sortedBy: order)
                let all = try await database.names("Samples", by: order)
                try expect("The number of records", Set(all).count, equals: 23)
                for size in [1, 2, 3, 5, 7, 11, 22, 23, 24, 100] {
                    let pages = try await database.pages(of: query, size: size)
                    try expect("The records in pages of \(size)", pages.flatMap(\.self), equals: all)
                    try expect("The number of pages of \(size)", pages.count, equals: (23 + size - 1) / size)
                }
            }
        },
        ConformanceRule(
            .paging, "only the cursor indicates that more records follow",
            law: "The last page has no cursor, even if it is full, and neither has an empty page.",
            source: .cloudKit("CKQueryOperation.h, cursor")
        ) { world in
            let database = try await world.samples(["a": 1, "b": 2, "c": 3, "d": 4])
            let query = Query(recordType: "Samples")
            let full = try await database.records(matching: query, resultsLimit: 4)
            try expect("The number of records", full.matchResults.count, equals: 4)
            try expect("The cursor after all", full.queryCursor, equals: nil)
            let part = try await database.records(matching: query, resultsLimit: 3)
            try expect("The records of the first page", part.matchResults.map(\.0.recordName), equals: ["a", "b", "c"])
            let rest = try await database.records(
                continuingMatchFrom: try require(part.queryCursor, "The cursor"), resultsLimit: 1)
            try expect("The records of the second page", rest.matchResults.map(\.0.recordName), equals: ["d"])
            try expect("The cursor after the rest", rest.queryCursor, equals: nil)
            let none = try await database.records(matching: Query(recordType: "Samples", filter: .constant(false)))
            try expect("The cursor after nothing", none.queryCursor, equals: nil)
        },
        ConformanceRule(
            .paging, "without a limit the service chooses one",
            law: "maximumResults yields pages of the default size, and a cursor if more records follow.",
            source: .cloudKit("CKQueryOperation.h, CKQueryOperationMaximumResults")
        ) { world in
            let database = try world.privateDatabase()
            try await database.saveAll((0...Query.defaultPageSize).map { Record("Samples", "item \($0)") })
            let page = try await database.records(matching: Query(recordType: "Samples"))
            try expect("The size of the page", page.matchResults.count, equals: Query.defaultPageSize)
            let cursor = try require(page.queryCursor, "The cursor")
            let rest = try await database.records(continuingMatchFrom: cursor)
            try expect("The size of the rest", rest.matchResults.count, equals: 1)
        },
        ConformanceRule(
            .paging, "a limit below zero is refused",
            law: "A negative results limit is refused with invalidArguments; the largest limit means all.",
            source: .cloudKit("CKQueryOperation.h, resultsLimit")
        ) { world in
            let database = try await world.samples(["a": 1, "b": 2])
            let query = Query(recordType: "Samples")
            for limit in [-1, Int.min] {
                try await expectError(.invalidArguments, naming: ["\(limit)"]) {
                    try await database.records(matching: query, resultsLimit: limit)
                }
            }
            let all = try await database.records(matching: query, resultsLimit: .max)
            try expect("The number of records", all.matchResults.count, equals: 2)
            try expect("The cursor", all.queryCursor, equals: nil)
        },
        ConformanceRule(
            .paging, "the records of a page are complete",
            law: "Each result of a page is under its record's ID, and is the record that a fetch by ID returns.",
            source: .cloudKit("CKDatabase, recordsMatchingQuery")
        ) { world in
            let database = try await world.samples(["a": 1, "b": "two".count, "c": nil])
            var child = Record("Samples", "d", ["y": ["list"]])
            child.setParent(.named("a"))
            try await database.save(child)
            let results = try await database.records(matching: Query(recordType: "Samples")).matchResults
            try expect("The number of results", results.count, equals: 4)
            for (id, result) in results {
                try expect("The record", try result.get(), equals: try await database.record(for: id))
            }
        },
    ]

    /// Cursors, and the changes that they survive.
    static let cursors: [ConformanceRule] = [
        ConformanceRule(
            .paging, "a cursor can be encoded and decoded",
            law:
                "A cursor that was encoded and decoded continues the query at the same position, for any values of its sort keys.",
            source: .cabinet("Cursor")
        ) { world in
            let database = try world.privateDatabase()
            let rows: [(name: String, number: Double?, date: Date?, text: String?)] = [
                ("a", -.infinity, .distantPast, ""),
                ("b", 0.1, Date(timeIntervalSinceReferenceDate: 1e-9), "a\0\u{301}"),
                ("c", nil, nil, nil), ("d", .infinity, .distantFuture, "👍"), ("e", 0.1, .distantFuture, "\""),
            ]
            try await database.saveAll(
                rows.map { Record("Samples", $0.name, ["number": $0.number, "date": $0.date, "text": $0.text]) })
            for key in ["number", "date", "text", "recordID", "creationDate"] {
                for ascending in [true, false] {
                    let order = [Sort(key, ascending: ascending)]
                    let query = Query(
                        recordType: "Samples", filter: .compare("number", .notEqual, 0.2), sortedBy: order)
                    let all = try await database.names("Samples", by: order)
                    let pages = try await database.recordPages(of: query, size: 1) { cursor in
                        let data = try JSONEncoder().encode([cursor])
                        return try JSONDecoder().decode([Query.Cursor].self, from: data)[0]
                    }
                    let found = pages.joined().map(\.recordID.recordName)
                    try expect("The records by \(key)", found, equals: all)
                }
            }
        },
        ConformanceRule(
            .paging, "a cursor works in another container of the user",
            law: "A cursor continues its query on another device, or after a restart, of the same user.",
            source: .cabinet("Cursor")
        ) { world in
            let database = try await world.samples(["a": 1, "b": 2, "c": 3])
            let page = try await database.records(matching: Query(recordType: "Samples"), resultsLimit: 2)
            let cursor = try require(page.queryCursor, "The cursor")
            let rest = try await world.container().privateDatabase.records(continuingMatchFrom: cursor)
            try expect("The rest", rest.matchResults.map(\.0.recordName), equals: ["c"])
        },
        ConformanceRule(
            .paging, "saves and deletions between pages neither repeat nor hide a record",
            law: "A cursor is a position, not a number: records that others save or delete before it shift nothing.",
            source: .cabinet("Cursor")
        ) { world in
            let database = try world.privateDatabase()
            try await database.saveAll((10..<30).map { Record("Samples", "item \($0)", ["x": $0 * 10]) })
            let query = Query(recordType: "Samples", sortedBy: [Sort("x")])
            let first = try await database.records(matching: query, resultsLimit: 7)
            try await database.saveAll([
                Record("Samples", "before", ["x": 1]), Record("Samples", "between", ["x": 165]),
                Record("Samples", "last", ["x": 999]),
            ])
            // The record at the cursor is deleted too, and so is one that was not fetched yet.
            try await database.deleteAll(["item 10", "item 12", "item 16", "item 20"])
            let cursor = try require(first.queryCursor, "The cursor")
            let rest = try await database.recordPages(continuing: cursor, size: 4).joined().map(\.recordID.recordName)
            let found = first.matchResults.map(\.0.recordName) + rest
            let later = (17..<30).filter { $0 != 20 }.map { "item \($0)" }
            let expected = (10...16).map { "item \($0)" } + ["between"] + later + ["last"]
            try expect("The records", found, equals: expected)
        },
        ConformanceRule(
            .paging, "a cursor can be used repeatedly",
            law: "A cursor is a value: the same cursor gives the same page again.",
            source: .cabinet("Cursor")
        ) { world in
            let database = try await world.samples(["a": 1, "b": 2, "c": 3, "d": 4])
            let page = try await database.records(matching: Query(recordType: "Samples"), resultsLimit: 1)
            let cursor = try require(page.queryCursor, "The cursor")
            for _ in 1...2 {
                let next = try await database.records(continuingMatchFrom: cursor, resultsLimit: 2)
                try expect("The page", next.matchResults.map(\.0.recordName), equals: ["b", "c"])
            }
        },
        ConformanceRule(
            .paging, "a cursor of another database is refused",
            law: "A cursor continues its query in the database, of the container and the user, where it began, and "
                + "nowhere else.",
            source: .cabinet("Cursor")
        ) { world in
            let container = try world.container()
            let ben = try world.container(account: Account(userRecordName: "_ben"))
            let other = try world.container(identifier: "com.example.other")
            for database in [container.privateDatabase, container.publicDatabase, ben.privateDatabase] {
                try await database.saveAll([Record("Samples", "a"), Record("Samples", "b")])
            }
            let query = Query(recordType: "Samples")
            let privateCursor = try require(
                try await container.privateDatabase.records(matching: query, resultsLimit: 1).queryCursor, "The cursor")
            for database in [container.publicDatabase, ben.privateDatabase, ben.publicDatabase, other.privateDatabase] {
                try await expectError(.invalidArguments, naming: ["cursor"]) {
                    try await database.records(continuingMatchFrom: privateCursor)
                }
            }
            let publicCursor = try require(
                try await container.publicDatabase.records(matching: query, resultsLimit: 1).queryCursor, "The cursor")
            for database in [container.privateDatabase, ben.privateDatabase, other.publicDatabase] {
                try await expectError(.invalidArguments, naming: ["cursor"]) {
                    try await database.records(continuingMatchFrom: publicCursor)
                }
            }
            let rest = try await ben.publicDatabase.records(continuingMatchFrom: publicCursor)
            try expect("The rest, for another user", rest.matchResults.map(\.0.recordName), equals: ["b"])
        },
        ConformanceRule(
            .paging, "pages with desired keys have their keys and no others",
            law:
                "desiredKeys selects fields of each page's records; the sort key need not be among them for the next page "
                + "to follow.",
            source: .cloudKit("CKQueryOperation.h, desiredKeys")
        ) { world in
            let database = try world.privateDatabase()
            try await database.saveAll(
                (0..<6).map { Record("Samples", "\($0)", ["x": $0 / 2, "y": "\($0)", "z": [$0]]) })
            let query = Query(recordType: "Samples", sortedBy: [Sort("x", ascending: false)])
            let cases: [(keys: [String]?, expected: Set<String>)] = [
                (nil, ["x", "y", "z"]), ([], []), (["y"], ["y"]), (["x", "z"], ["x", "z"]), (["missing"], []),
                (["y", "y"], ["y"]),
            ]
            for (keys, expected) in cases {
                let pages = try await database.recordPages(of: query, size: 1, desiredKeys: keys)
                let found = Array(pages.joined())
                try expect("The records", found.map(\.recordID.recordName), equals: ["4", "5", "2", "3", "0", "1"])
                for record in found {
                    try expect("The number of keys", record.allKeys().count, equals: expected.count)
                    try expect("The keys", Set(record.allKeys()), equals: expected)
                    try expect("The changed keys", record.changedKeys(), equals: [])
                }
            }
        },
    ]
}

extension Database {
    /// The names of a query's records, page by page.
    func pages(of query: Query, size: Int) async throws -> [[String]] {
        try await recordPages(of: query, size: size).map { $0.map(\.recordID.recordName) }
    }

    /// A query's records, page by page.
    ///
    /// A closure transforms each cursor before its use.
    fileprivate func recordPages(
        of query: Query, size: Int, desiredKeys: [Record.FieldKey]? = nil,
        recoding recode: (Query.Cursor) throws -> Query.Cursor = { $0 }
    ) async throws -> [[Record]] {
        let first = try await records(matching: query, desiredKeys: desiredKeys, resultsLimit: size)
        let page = try first.matchResults.map { try $0.1.get() }
        guard let cursor = first.queryCursor else { return [page] }
        return try await [page]
            + recordPages(continuing: cursor, size: size, desiredKeys: desiredKeys, recoding: recode)
    }

    /// The pages that follow a cursor.
    ///
    /// Throws if they do not end.
    fileprivate func recordPages(
        continuing cursor: Query.Cursor, size: Int, desiredKeys: [Record.FieldKey]? = nil,
        recoding recode: (Query.Cursor) throws -> Query.Cursor = { $0 }
    ) async throws -> [[Record]] {
        var pages: [[Record]] = []
        var next: Query.Cursor? = cursor
        while let cursor = next {
            let page = try await records(
                continuingMatchFrom: try recode(cursor), desiredKeys: desiredKeys, resultsLimit: size)
            pages.append(try page.matchResults.map { try $0.1.get() })
            next = page.queryCursor
            try expect(pages.count < 200, "The pages do not end.")
        }
        return pages
    }
}

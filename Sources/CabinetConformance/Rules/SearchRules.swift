import Cabinet

extension ConformanceRule {
    /// Searches as people write them.
    static let searches: [ConformanceRule] = [
        ConformanceRule(
            .filters, "a search as people write it finds all words",
            law:
                "SEARCH finds the records whose searched fields together have all words of a text; without a word, every record.",
            source: .cabinet("SearchText")
        ) { world in
            let database = try await world.searchedTexts()
            let all = ["a", "b", "c", "d", "e", "nil"]
            try await database.expectFound([
                (.search("anvil rope "), ["a", "c"]), (.search("rope, ANVIL!"), ["a", "c"]),
                (.search("anvil "), ["a", "c"]),
                (.search("rope nothing "), []), (.search("heavy anvil "), ["c"]), (.search("7 "), ["e"]),
                (!.search("anvil rope "), ["b", "d", "e", "nil"]), (.search("tag "), []),
                (.search(""), all), (.search(" …\"-\" "), all), (!.search("!"), []),
                (.search("anvil ") && .compare("n", .equal, 1), ["a"]),
                (.search("7 ") || .search("heavy "), ["c", "e"]),
                (.comparison(.init(.searchableText, .search, .constant(nil))), []),
            ])
            try await database.expectFound(formats: [
                ("SELF SEARCH 'anvil rope '", ["a", "c"]), ("allTokens SEARCH[cd] 'anvil rope '", ["a", "c"]),
            ])
        },
        ConformanceRule(
            .filters, "the last word of a search may be unfinished",
            law:
                "The last word is the beginning of a word, unless a space, a quotation mark or another sign follows it.",
            source: .cabinet("SearchText")
        ) { world in
            let database = try await world.searchedTexts()
            try await database.expectFound([
                (.search("anvil rop"), ["a", "c"]), (.search("rop"), ["a", "b", "c"]), (.search("rop "), []),
                (.search("rop."), []), (.search("anvil"), ["a", "b", "c"]), (.search("anv ropes"), []),
                (.search("ropes anv"), ["b"]), (.search("CAF"), ["d"]), (.search("gross"), ["d"]),
                (.search("日"), ["d"]),
                (.search("r"), ["a", "b", "c"]), (.search("\"rop"), ["a", "b", "c"]), (.search("\"rop\""), []),
            ])
        },
        ConformanceRule(
            .filters, "a phrase is found where its words stand side by side",
            law: "Words in quotation marks must be neighbors, in this order, in one field.",
            source: .cabinet("SearchText")
        ) { world in
            let database = try await world.searchedTexts()
            try await database.expectFound([
                (.search("\"anvil rope\""), ["c"]), (.search("\"rope anvil\""), []), (.search("\"anvil with\""), []),
                (.search("\u{201C}with a rope\u{201D} anvil "), ["a"]), (.search("\"anvil rop"), ["c"]),
                (.search("\"ropes AND anv"), ["b"]), (.search("\"a rope\" \"with a\""), ["a"]),
                (.search("\"an anvil\" heavy \"anvil rope\""), ["c"]), (.search("\"rope rope\""), []),
                (!.search("\"anvil rope\""), ["a", "b", "d", "e", "nil"]), (.search("\"crème-brulee\""), ["d"]),
            ])
        },
        ConformanceRule(
            .filters, "a search as people write it ignores case and accents",
            law: "Words are compared as under the options c and d, with every sign between them.",
            source: .cabinet("SearchText")
        ) { world in
            let database = try await world.searchedTexts()
            try await database.expectFound([
                (.search("CAFE "), ["d"]), (.search("cafe\u{301} "), ["d"]), (.search("GROSSES "), ["d"]),
                (.search("große"), ["d"]), (.search("brûlée CREME "), ["d"]), (.search("日本語 "), ["d"]),
                (.search("o'clock "), ["e"]), (.search("clock o "), ["e"]), (.search("ΣΟΦΟΣ "), ["e"]),
            ])
        },
        ConformanceRule(
            .filters, "a search as people write it reads one field, or the elements of a list",
            law: "SEARCH with a field searches that field alone, and with ANY each element; options change nothing.",
            source: .cabinet("Filter.Operator.search")
        ) { world in
            let database = try await world.searchedTexts()
            try await database.expectFound([
                (.field("title").search("anvil rop"), []), (.field("title").search("ropes anv"), ["b"]),
                (.field("body").search("rope "), ["a", "c"]),
                (!.field("body").search("rope "), ["b", "d", "e", "nil"]),
                (.field("body").search("\"anvil rope\""), ["c"]), (.field("missing").search("a"), []),
                (.field("title").search(""), ["a", "b", "c", "d", "e", "nil"]),
                (.any("tags").search("second ta"), ["a"]),
                (.any("tags").search("first second "), []), (.field("title").search(.field("word")), ["a"]),
            ])
            try await database.expectFound(formats: [("title SEARCH[cd] 'anv'", ["a", "b"])])
            try await expectError(.invalidArguments, naming: ["'n'"]) {
                try await database.names("Samples", where: .field("n").search("milk"))
            }
        },
        ConformanceRule(
            .order, "records are ordered by their relevance to a search",
            law:
                "The points of a record follow from its searched fields alone; records with as many are in the order of their first "
                + "saves.",
            source: .cabinet("Sort.relevance")
        ) { world in
            let database = try world.privateDatabase()
            try await database.saveAll(Record.ranked)
            let ranked = ["both", "phrase", "first", "again", "short", "long"]
            try await database.expectRelevance(.search("anvil rop"), ranked)
            try await database.expectRelevance(.search("\"anvil rop"), ["phrase"])
            try await database.expectRelevance(
                .search("anvil rop"), ["long", "short", "first", "again", "phrase", "both"], by: [Sort("@relevance")])
            // The points of several searches are added; those below NOT are none.
            try await database.expectRelevance(
                .search("set ") || .field("title").search("an"), ["phrase", "long", "first", "again", "both"])
            try await database.expectRelevance(
                .search("set ") || .field("n") == 2, ["phrase", "first", "again"])
            try await database.expectRelevance(
                .search("anvil rop") && !.search("set "), ["both", "first", "again", "short", "long"])
            try await database.expectRelevance(
                .search("anvil rop"), ["both", "phrase", "short", "long", "first", "again"], by: ["n", .relevance])
            // An empty search box: every record, in the order of the first saves.
            try await database.expectRelevance(.search(""), Record.ranked.map(\.recordID.recordName))
            for filter in [Filter.constant(true), .text("anvil"), !.search("anvil"), .any("tags").search("anvil")] {
                try await expectError(.invalidArguments, naming: ["relevance"]) {
                    try await database.names("Samples", where: filter, by: [.relevance])
                }
            }
        },
        ConformanceRule(
            .paging, "a page by relevance continues exactly while others save",
            law: "A cursor of an order by relevance skips no record and repeats none while others save and delete.",
            source: .cabinet("Sort.relevance")
        ) { world in
            let database = try world.privateDatabase()
            try await database.saveAll(Record.ranked)
            let query = Query(recordType: "Samples", filter: .search("anvil rop"), sortedBy: .relevance)
            let first = try await database.records(matching: query, desiredKeys: ["n"], resultsLimit: 2)
            try expect("The first page", first.matchResults.map(\.0.recordName), equals: ["both", "phrase"])
            for (_, result) in first.matchResults {
                try expect(
                    try !result.get().allKeys().contains("title"), "The page has a field that was not asked for.")
            }
            try await database.saveAll([
                Record("Samples", "earlier", ["title": "anvil rop"]),
                Record("Samples", "later", ["title": "My anvil: rope"]),
            ])
            try await database.deleteAll(["phrase"])
            let cursor = try require(first.queryCursor, "The cursor")
            let second = try await database.records(continuingMatchFrom: cursor, resultsLimit: 2)
            try expect("The second page", second.matchResults.map(\.0.recordName), equals: ["first", "again"])
            let last = try await database.records(
                continuingMatchFrom: try require(second.queryCursor, "The second cursor"), resultsLimit: 9)
            try expect("The last page", last.matchResults.map(\.0.recordName), equals: ["later", "short", "long"])
            try expect(last.queryCursor == nil, "A page follows the last one.")
        },
        ConformanceRule(
            .observation, "an observed search keeps the order of relevance",
            law: "A change of a record moves it to its position by relevance.",
            source: .cabinet("live queries")
        ) { world in
            let database = try world.privateDatabase()
            try await database.saveAll(Record.ranked.filter { $0.recordID.recordName != "again" })
            let query = Query(recordType: "Samples", filter: .search("anvil rop"), sortedBy: .relevance)
            var states = try ObservationProbe(database, query, keys: ["n"])
            try await states.expectNext(["both", "phrase", "first", "short", "long"])
            try await database.update(.named("long")) { $0["title"] = "Anvil, rop" }
            try await states.expectNext(["long", "both", "phrase", "first", "short"])
            try await database.update(.named("both")) { $0["title"] = "rop" }
            try await states.expectNext(["long", "phrase", "first", "short"])
        },
    ]
}

extension Record {
    /// Records with several points for the search "anvil rop".
    fileprivate static var ranked: [Record] {
        [
            Record("Samples", "long", ["title": "An anvil, and ropes", "n": 1, "tags": ["anvil"]]),
            Record("Samples", "short", ["title": "Rope", "body": "for one anvil", "n": 1]),
            Record("Samples", "first", ["title": "Anvil and rope", "n": 2]),
            Record("Samples", "phrase", ["title": "Anvil rope set", "n": 1]),
            Record("Samples", "again", ["title": "ANVIL and rope", "n": 2]),
            Record("Samples", "both", ["title": "rop anvil"]), Record("Samples", "other", ["title": "Rope"]),
        ]
    }
}

extension Database {
    /// Throws unless a search has the records in this order, also page by page and among all zones.
    fileprivate func expectRelevance(
        _ filter: Filter, _ expected: [String], by order: [Sort] = [.relevance], fileID: String = #fileID,
        line: Int = #line
    ) async throws {
        let query = Query(recordType: "Samples", filter: filter, sortedBy: order)
        let found = try await names("Samples", where: filter, by: order)
        try expect("The order of \(filter)", found, equals: expected, fileID: fileID, line: line)
        for size in 1...3 {
            let paged = try await pages(of: query, size: size).flatMap(\.self)
            try expect("The order of \(filter), \(size) at a time", paged, equals: expected, fileID: fileID, line: line)
        }
    }
}

extension ConformanceWorld {
    /// A database with words in two fields.
    fileprivate func searchedTexts() async throws -> Database {
        let database = try privateDatabase()
        try await database.saveAll([
            Record(
                "Samples", "a",
                ["title": "Anvil", "body": "with a rope", "n": 1, "tags": ["first", "a second tag"], "word": "ANV"]),
            Record("Samples", "b", ["title": "Ropes and anvils", "n": 2]),
            Record("Samples", "c", ["title": "Rope", "body": "An anvil rope, heavy"]),
            Record("Samples", "d", ["title": "Großes Café", "body": "crème brûlée 日本語"]),
            Record("Samples", "e", ["title": "Number 7", "body": "5 o'clock, σοφός"]), Record("Samples", "nil"),
        ])
        return database
    }
}

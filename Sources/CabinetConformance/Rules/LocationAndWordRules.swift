import Cabinet

extension ConformanceRule {
    /// Filters by distance, and by words.
    static let locationAndWordFilters: [ConformanceRule] = [
        ConformanceRule(
            .filters, "records are found by their distance",
            law: "A distance is measured along the surface of a sphere, in metres; the distance of nil is nil.",
            source: .cloudKit("CKQuery, distanceToLocation:fromLocation:")
        ) { world in
            let database = try await world.locations()
            try await database.expectFound([
                (near("x", 52.52, 13.405, .lessThan, 1), ["berlin"]),
                (near("x", 52.52, 13.405, .lessThan, 30_000), ["berlin", "potsdam"]),
                (near("x", 52.52, 13.405, .greaterThan, 30_000), ["east", "north", "south", "west"]),
                (.not(near("x", 52.52, 13.405, .lessThan, 30_000)), ["east", "nil", "north", "south", "west"]),
                (near("missing", 0, 0, .lessThan, 1e9), []), (near("x", 0, 0, .equal, nil), ["nil"]),
                (near("x", 52.52, 13.405, .equal, 0), ["berlin"]),
                (
                    .comparison(
                        .init(.distance(.field("x"), .field("x")), .lessThanOrEqual, .constant(.double(0)))),
                    ["berlin", "east", "north", "potsdam", "south", "west"]
                ),
            ])
        },
        ConformanceRule(
            .filters, "a distance crosses every border of a sphere",
            law:
                "Distances are short across the antimeridian and around the poles, and never longer than half the Earth.",
            source: .cabinet("Location.distance")
        ) { world in
            let database = try await world.locations()
            try await database.expectFound([
                (near("x", 0, -179.9, .lessThan, 30_000), ["east", "west"]),
                (near("x", 0, 180, .lessThan, 15_000), ["east", "west"]),
                (near("x", 0, -180, .lessThan, 15_000), ["east", "west"]),
                (near("x", 90, 0, .lessThan, 15_000), ["north"]),
                (near("x", 89.95, -60, .lessThan, 20_000), ["north"]), (near("x", -90, 12, .lessThan, 1), ["south"]),
                (near("x", 90, 12, .greaterThan, 20_015_000), ["south"]),
                (near("x", 0, 0, .greaterThan, 20_015_200), []),
            ])
        },
        ConformanceRule(
            .filters, "a search finds records that contain one of the words",
            law: "A search for words finds the records one of whose text fields has at least one of them, whole.",
            source: .cloudKit("CKQuery, self CONTAINS")
        ) { world in
            let database = try await world.texts()
            let all = ["a", "b", "c", "d", "nil"]
            try await database.expectFound([
                (words("milk"), ["a", "b"]), (words("bread"), ["a", "c"]), (words("milk bread"), ["a", "b", "c"]),
                (words("mil"), []), (words("bread, MILK!"), ["a", "b", "c"]), (words("nothing milk"), ["a", "b"]),
                (words("number 7"), ["b"]), (.not(words("milk")), ["c", "d", "nil"]), (words(""), []),
                (words("…, -!"), []),
                (.not(words("")), all), (words("tag"), []), (words(nil), []),
                (.and([words("milk"), words("bread")]), ["a"]), (.compare("n", .equal, 1) && words("milk"), ["a"]),
            ])
        },
        ConformanceRule(
            .filters, "a search ignores case and accents",
            law: "Words are compared as under the options c and d; punctuation and spaces separate them.",
            source: .cabinet("SearchTokens")
        ) { world in
            let database = try await world.texts()
            try await database.expectFound([
                (words("CAFE"), ["c"]), (words("cafe\u{301}"), ["c"]), (words("strasse"), ["d"]),
                (words("STRAßE"), ["d"]),
                (words("creme-brulee"), ["c"]), (words("brûlée"), ["c"]), (words("日本語"), ["d"]), (words("日本"), []),
                (words("o'clock"), ["d"]), (words("clock"), ["d"]), (words("σοφος"), ["d"]), (words("ΣΟΦΟΣ"), ["d"]),
            ])
        },
        ConformanceRule(
            .filters, "the words of one field can be searched",
            law: "TOKENMATCHES with a field searches that field alone; options change nothing.",
            source: .cabinet("Filter.Operator.tokenMatches")
        ) { world in
            let database = try await world.texts()
            func words(_ key: Record.FieldKey, _ text: String, _ options: Filter.Options = []) -> Filter {
                .comparison(.init(.field(key), .tokenMatches, .constant(.string(text)), options: options))
            }
            try await database.expectFound([
                (words("title", "milk"), ["a"]), (words("body", "milk"), ["b"]), (words("title", "bread cafe"), ["c"]),
                (words("title", "MILK", [.caseInsensitive, .diacriticInsensitive]), ["a"]),
                (words("missing", "milk"), []),
                (.not(words("title", "milk")), ["b", "c", "d", "nil"]), (words("body", ""), []),
            ])
            try await expectError(.invalidArguments, naming: ["'n'"]) {
                try await database.names("Samples", where: words("n", "milk"))
            }
        },
    ]

    private static func near(
        _ key: Record.FieldKey, _ latitude: Double, _ longitude: Double, _ comparison: Filter.Operator,
        _ metres: Double?
    ) -> Filter {
        let place = FieldValue.location(Location(latitude: latitude, longitude: longitude))
        return .comparison(
            .init(.distance(.field(key), .constant(place)), comparison, .constant(metres.map { .double($0) })))
    }

    private static func words(_ text: String?) -> Filter {
        .comparison(.init(.searchableText, .tokenMatches, .constant(text.map { .string($0) })))
    }
}

extension ConformanceWorld {
    /// A database with locations in a city, at the antimeridian, and at the poles.
    func locations() async throws -> Database {
        try await samples([
            "berlin": Location(latitude: 52.52, longitude: 13.405),
            "potsdam": Location(latitude: 52.4, longitude: 13.06),
            "east": Location(latitude: 0, longitude: 179.9), "west": Location(latitude: 0, longitude: -179.9),
            "north": Location(latitude: 89.95, longitude: 120), "south": Location(latitude: -90, longitude: 0),
            "nil": nil,
        ])
    }

    /// A database with words in two fields.
    fileprivate func texts() async throws -> Database {
        let database = try privateDatabase()
        try await database.saveAll([
            Record("Samples", "a", ["title": "Milk", "body": "and bread", "n": 1, "tags": ["tag"]]),
            Record("Samples", "b", ["title": "Number 7", "body": "Fresh MILK.", "n": 2]),
            Record("Samples", "c", ["title": "Bread-Café", "body": "crème brûlée"]),
            Record("Samples", "d", ["title": "Große Straße, 5 o'clock", "body": "日本語 σοφός"]), Record("Samples", "nil"),
        ])
        return database
    }
}

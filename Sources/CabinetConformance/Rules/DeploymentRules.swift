import Cabinet
import Foundation

extension ConformanceRule {
    /// The deployment of whole schemas.
    static let deployments: [ConformanceRule] = [
        ConformanceRule(
            .schema, "a deployed schema is the whole schema of a database",
            law: "After a deployment each database has exactly the schema: new types and fields exist, and indexes are "
                + "created and dropped to match. The records stay.",
            source: .cloudKit("deployment to production")
        ) { world in
            let container = try world.container()
            for _ in 0..<2 {
                try await container.deploy(.coins)
                try expect("The schema", try await container.schema(), equals: .coins)
            }
            let database = container.privateDatabase
            try await database.save(Record("Coin", "a", ["name": "Penny", "year": 1967]))
            let difference = try await database.schema().difference(to: .moreCoins)
            try expect("The number of changes", difference.changes.count, equals: 7)
            try expect("The losses", difference.losses, equals: [])
            try await container.deploy(.moreCoins)
            for database in [container.publicDatabase, container.privateDatabase] {
                try expect("The schema of \(database)", try await database.schema(), equals: .moreCoins)
                let rest = try await database.schema().difference(to: .moreCoins)
                try expect("The changes after the deployment", rest.changes, equals: [])
            }
            let coin = try await database.fetch("a")
            try expect("The coin's year", coin["year"], equals: 1967)
            try await database.save(coin.with(["series": Reference("series")]))
            let found = try await database.names("Coin", where: .compare("year", .greaterThan, 1900))
            try expect("The coins by year", found, equals: ["a"])
        },
        ConformanceRule(
            .schema, "a deployment that would lose data is refused",
            law:
                "A schema that lacks a type or field of a database, or changes a field's type, is refused with each of "
                + "them named; no database changes.",
            source: .cloudKit("deployment to production")
        ) { world in
            let container = try world.container()
            let database = container.privateDatabase
            try await container.publicDatabase.deploy(.coins)
            try await database.deploy(.moreCoins)
            try await database.save(Record("Coin", "a", ["name": "Penny", "year": 1967, "picture": "a.png"]))
            var changed = Schema.coins
            changed["Coin"]["year"] = .init(.string)
            changed["Coin"]["new"] = .init(.string, .queryable)
            let words = ["- Coin.series", "- Coin.picture", "~ Coin.year INT64 → STRING", "- RECORD TYPE Series"]
            try await expectError(.invalidArguments, naming: words) { try await database.deploy(changed) }
            // The public database could have this schema, and the private one would lose fields.
            var grown = Schema.coins
            grown["Coin"]["new"] = .init(.string, .queryable)
            try await expectError(.invalidArguments, naming: ["- Coin.series"]) { try await container.deploy(grown) }
            // An applied schema, unlike a deployed one, may be a part.
            try await expectError(.invalidArguments, naming: ["'year'"]) { try await database.apply(changed) }
            try expect("The private schema", try await database.schema(), equals: .moreCoins)
            try expect("The public schema", try await container.publicDatabase.schema(), equals: .coins)
            try expect("The picture", try await database.fetch("a")["picture"], equals: "a.png")
        },
    ]
}

extension Schema {
    /// The schema of a collection, in two versions.
    fileprivate static let coins = Schema(recordTypes: [
        "Coin": RecordType(
            fields: [
                "name": .init(.string, [.queryable, .searchable]), "country": .init(.string, [.queryable, .sortable]),
                "year": .init(.int64, .queryable), "recordID": .init(.reference, .queryable),
            ], indexes: [["country", "year"]])
    ])

    fileprivate static let moreCoins: Schema = {
        var schema = coins
        schema["Coin"]["country"] = .init(.string, .queryable)
        schema["Coin"]["picture"] = .init(.string)
        schema["Coin"]["series"] = .init(.reference, .queryable)
        schema["Coin"].indexes = [["series", "year"]]
        schema["Series"]["title"] = .init(.string, [.queryable, .sortable, .searchable])
        return schema
    }()
}

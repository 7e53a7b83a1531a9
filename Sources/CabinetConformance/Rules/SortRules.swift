import Cabinet
import Foundation

extension ConformanceRule {
    /// Orders other than by the plain values of a field.
    static let computedOrders: [ConformanceRule] = [
        ConformanceRule(
            .order, "text is ordered without regard to case and accents",
            law:
                "Under options, texts that fold to the same text are equal in the order, and the others are ordered as folded.",
            source: .cabinet("Sort.Options")
        ) { world in
            let database = try await world.samples([
                "1": "b", "2": "A", "3": "a", "4": "É", "5": "e", "6": "F", "7": nil, "8": "Straße", "9": "STRASSE",
            ])
            try await database.expectOrder(
                [Sort("x", options: .caseInsensitive)], ["7", "2", "3", "1", "5", "6", "8", "9", "4"])
            try await database.expectOrder(
                [Sort("x", options: .diacriticInsensitive)], ["7", "2", "4", "6", "9", "8", "3", "1", "5"])
            try await database.expectOrder(
                [Sort("x", options: [.caseInsensitive, .diacriticInsensitive])],
                ["7", "2", "3", "1", "4", "5", "6", "8", "9"])
            try await database.expectOrder(
                [Sort("x", ascending: false, options: [.caseInsensitive, .diacriticInsensitive])],
                ["8", "9", "6", "4", "5", "1", "2", "3", "7"])
            try await database.expectOrder(
                [Sort("x", options: .caseInsensitive), Sort("x", ascending: false)],
                ["7", "3", "2", "1", "5", "6", "8", "9", "4"])
        },
        ConformanceRule(
            .order, "numbers in text are ordered as numbers",
            law: "Under the option numeric, runs of the digits 0 to 9 are ordered by their numeric value.",
            source: .cabinet("Sort.Options")
        ) { world in
            let database = try await world.samples([
                "1": "file 10", "2": "file 9", "3": "file 09", "4": "File 1", "5": "file", "6": "file 10.2",
                "7": "file 10.10",
                "8": "12345678901234567890123", "9": "12345678901234567890122",
            ])
            try await database.expectOrder(
                [Sort("x", options: .numeric)], ["9", "8", "4", "5", "2", "3", "1", "6", "7"])
            try await database.expectOrder(
                [Sort("x", ascending: false, options: [.numeric, .caseInsensitive])],
                ["7", "6", "1", "2", "3", "4", "5", "8", "9"])
        },
        ConformanceRule(
            .order, "options change nothing but the order of text",
            law: "Numbers, dates and other values are ordered by their value under every option.",
            source: .cabinet("Sort.Options")
        ) { world in
            let all: Sort.Options = [.caseInsensitive, .diacriticInsensitive, .numeric]
            let database = try await world.samples(["a": 10, "b": 9, "c": -1, "d": nil])
            try await database.expectOrder([Sort("x", options: all)], ["d", "c", "b", "a"])
            try await database.expectOrder([Sort("recordID", ascending: false, options: all)], ["d", "c", "b", "a"])
        },
        ConformanceRule(
            .order, "records are ordered by distance",
            law: "Records are sorted by the distance of a location from another one; nil comes first ascending.",
            source: .cloudKit("CKLocationSortDescriptor")
        ) { world in
            let database = try await world.locations()
            let berlin = Location(latitude: 52.52, longitude: 13.405)
            try await database.expectOrder(
                [Sort("x", distanceFrom: berlin)], ["nil", "berlin", "potsdam", "north", "east", "west", "south"])
            try await database.expectOrder(
                [Sort("x", distanceFrom: berlin, ascending: false)],
                ["south", "west", "east", "north", "potsdam", "berlin", "nil"])
            // Two locations have the same distance.
            let antimeridian = Location(latitude: 0, longitude: 180)
            try await database.save(Record("Samples", "also west", ["x": Location(latitude: 0, longitude: -179.9)]))
            try await database.expectOrder(
                [Sort("x", distanceFrom: antimeridian, ascending: false), Sort("recordID", ascending: false)],
                try await database.names("Samples", by: [Sort("x", distanceFrom: antimeridian), Sort("recordID")])
                    .reversed())
            let near = try await database.names(
                "Samples", by: [Sort("x", distanceFrom: Location(latitude: 0, longitude: -179.9))])
            try expect("The nearest", Array(near.prefix(3)), equals: ["nil", "west", "also west"])
        },
        ConformanceRule(
            .order, "records are ordered by the value at the end of a path",
            law: "Records are sorted by the value at the end of a key path; a path without a target yields nil.",
            source: .cabinet("Sort.key")
        ) { world in
            let database = try await world.relatives()
            try await database.saveAll([
                Record("Lists", "last", ["name": "zoo 10", "owner": Reference("carl")]),
                Record("Lists", "near last", ["name": "Zoo 9", "owner": Reference("ben")]),
                Record("Samples", "f", ["list": Reference("last")]),
                Record("Samples", "g", ["list": Reference("near last")]),
                Record("Samples", "h", ["list": Reference("food"), "name": "h"]),
            ])
            try await database.expectOrder([Sort("list.name")], ["b", "c", "d", "a", "h", "e", "g", "f"])
            try await database.expectOrder(
                [Sort("list.name", ascending: false)], ["f", "g", "e", "a", "h", "b", "c", "d"])
            try await database.expectOrder(
                [Sort("list.name", ascending: false, options: [.numeric, .caseInsensitive])],
                ["f", "g", "e", "a", "h", "b", "c", "d"])
            try await database.expectOrder(
                [Sort("list.owner.age"), Sort("name")], ["c", "d", "e", "a", "h", "g", "b", "f"])
            try await database.expectOrder(
                [Sort("list.owner.city", ascending: false), Sort("list.owner.age", ascending: false)],
                ["f", "a", "h", "b", "g", "c", "d", "e"])
            try await database.expectOrder(
                [Sort("list.recordID")], ["c", "d", "a", "h", "f", "g", "e", "b"])
            try await database.expectOrder(
                [Sort("list.missing"), Sort("recordID.name")], ["c", "f", "g", "a", "b", "d", "e", "h"])
        },
        ConformanceRule(
            .order, "unsupported orders are refused",
            law:
                "Distances of fields other than locations, and paths through lists or to unordered fields, are refused, also without records.",
            source: .cabinet("Sort.validate")
        ) { world in
            let database = try await world.relatives()
            try await database.saveAll([
                Record("Samples", "place", ["x": Location(latitude: 0, longitude: 0), "friends": [Reference("anna")]]),
                Record("Owners", "house", ["place": Location(latitude: 0, longitude: 0)]),
            ])
            let names = try await database.names("Samples")
            let origin = Location(latitude: 0, longitude: 0)
            for _ in 1...2 {
                for sort in [
                    Sort("name", distanceFrom: origin), Sort("creationDate", distanceFrom: origin),
                    Sort("list.place", distanceFrom: origin),
                    Sort("x", distanceFrom: Location(latitude: 91, longitude: 0)),
                    Sort("x", distanceFrom: Location(latitude: 0, longitude: .nan)), Sort("x"), Sort("friends.city"),
                    Sort("friends.@count"), Sort("list.owner.tags"), Sort("list.owner.place"), Sort("name.x"),
                    Sort("list..name"), Sort("name", options: Sort.Options(rawValue: 1 << 20)),
                ] {
                    try await expectError(.invalidArguments, naming: [sort.key], in: sort.key) {
                        try await database.names("Samples", by: [Sort("recordID"), sort])
                    }
                }
                try await database.deleteAll(names)
            }
        },
    ]
}

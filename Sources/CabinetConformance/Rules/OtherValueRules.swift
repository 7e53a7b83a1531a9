import Cabinet
import Foundation

extension ConformanceRule {
    /// Dates, bytes, locations and references are stored exactly, or are refused.
    static let otherValues: [ConformanceRule] = [
        ConformanceRule(
            .values, "dates keep every bit",
            law: "A date is stored exactly: before 1970, in the distant past and future, and now.",
            source: .cloudKit("the schema language, TIMESTAMP")
        ) { world in
            try await expectRoundTrip(
                [
                    Date(), Date(timeIntervalSince1970: 0), Date(timeIntervalSinceReferenceDate: 0),
                    Date(timeIntervalSince1970: -1), Date(timeIntervalSince1970: -1_000_000_000.25), .distantPast,
                    .distantFuture, Date(timeIntervalSinceReferenceDate: 0.1),
                    Date(timeIntervalSinceReferenceDate: 1e-9),
                    Date(timeIntervalSinceReferenceDate: 790_000_000.123_456_78),
                    Date(timeIntervalSinceReferenceDate: 1e15),
                ], in: world)
        },
        ConformanceRule(
            .values, "an invalid date is refused",
            law: "A date that is infinite or not a number fails with invalidArguments, which names the field.",
            source: .cabinet("the round trip of values")
        ) { world in
            for interval in [Double.infinity, -.infinity, .nan] {
                try await expectRefused(Date(timeIntervalSinceReferenceDate: interval), in: world)
            }
        },
        ConformanceRule(
            .values, "bytes are stored",
            law: "Data of any length and content is stored byte by byte; empty data is a value, not nil.",
            source: .cloudKit("the schema language, BYTES")
        ) { world in
            let slice = Data([9, 8, 7, 6]).dropFirst(2)
            try await expectRoundTrip(
                [Data(), Data([0]), Data(0...255), slice, Data("text".utf8), Data(repeating: 0xA5, count: 1_048_576)],
                in: world)
            let record = try await world.privateDatabase().fetch("sample5")
            try expect("The keys with a value", record.allKeys(), equals: ["value"])
        },
        ConformanceRule(
            .values, "a location keeps all its components",
            law: "Latitude, longitude and the optional components of a location are stored exactly.",
            source: .cloudKit("CKRecordValueProtocol, CLLocation")
        ) { world in
            try await expectRoundTrip(
                [
                    Location(latitude: 52.520_008, longitude: 13.404_954),
                    Location(
                        latitude: -33.8688, longitude: 151.2093, altitude: 12.5, horizontalAccuracy: 5,
                        verticalAccuracy: 3,
                        course: 270.25, speed: 1.5, timestamp: Date(timeIntervalSinceReferenceDate: 700_000_000.5)),
                    Location(latitude: 90, longitude: -180, altitude: -430.5),
                    Location(latitude: 0.1 + 0.2, longitude: 1 / 3, speed: 0, timestamp: .distantPast),
                ], in: world)
        },
        ConformanceRule(
            .values, "a location off the Earth is refused",
            law: "A latitude beyond 90 degrees, a longitude beyond 180, and components that are not numbers are "
                + "refused.",
            source: .cloudKit("CLLocation")
        ) { world in
            try await expectRefused(Location(latitude: 90.1, longitude: 0), in: world, naming: ["90.1"])
            try await expectRefused(Location(latitude: 0, longitude: -180.5), in: world, naming: ["-180.5"])
            try await expectRefused(Location(latitude: .nan, longitude: 0), in: world)
            try await expectRefused(Location(latitude: 0, longitude: 0, altitude: .infinity), in: world)
        },
        ConformanceRule(
            .values, "a reference keeps its action",
            law: "The ID and the action of a reference are stored, for every action.",
            source: .cloudKit("CKReference.h")
        ) { world in
            try await world.privateDatabase().save(Record("Lists", "target"))
            try await expectRoundTrip(Reference.Action.allCases.map { Reference("target", $0) }, in: world)
        },
        ConformanceRule(
            .values, "a record with many fields is stored whole",
            law: "A record may have hundreds of fields, and any of them may lack a value.",
            source: .cabinet("the round trip of values")
        ) { world in
            let database = try world.privateDatabase()
            var wide = Record("Wide", "wide")
            for index in 0..<300 { wide["field\(index)"] = index }
            var other = Record("Wide", "other")
            for index in stride(from: 299, through: 0, by: -2) { other["field\(index)"] = -index }
            try await database.saveAll([wide, other])
            let fetchedWide = try await database.fetch("wide")
            let fetchedOther = try await database.fetch("other")
            try expect("The number of fields", fetchedWide.allKeys().count, equals: 300)
            try expect("The number of fields", fetchedOther.allKeys().count, equals: 150)
            for key in wide.allKeys() {
                try expect("The field \(key)", fetchedWide.fieldValue(key), equals: wide.fieldValue(key))
                try expect("The field \(key)", fetchedOther.fieldValue(key), equals: other.fieldValue(key))
            }
        },
        ConformanceRule(
            .values, "a record without fields is stored",
            law: "A record needs no fields: its ID and its type are enough.",
            source: .cloudKit("CKRecord.h")
        ) { world in
            let database = try world.privateDatabase()
            try await database.save(Record("Samples", "empty"))
            let record = try await database.fetch("empty")
            try expect("The type", record.recordType, equals: "Samples")
            try expect("The keys", record.allKeys(), equals: [])
            try expect("The records of the type", try await database.names("Samples"), equals: ["empty"])
        },
    ]
}

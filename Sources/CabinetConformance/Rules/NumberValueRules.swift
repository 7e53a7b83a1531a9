import Cabinet

extension ConformanceRule {
    /// Numbers are stored exactly, or are refused.
    static let numberValues: [ConformanceRule] = [
        ConformanceRule(
            .values, "whole numbers keep all 64 bits",
            law: "Every Int64 is stored exactly, including the smallest and the largest.",
            source: .cloudKit("the schema language, INT64")
        ) { world in
            try await expectRoundTrip(
                [.min, .min + 1, -9_007_199_254_740_993, -1, 0, 1, 9_007_199_254_740_993, .max - 1, .max] as [Int64],
                in: world)
        },
        ConformanceRule(
            .values, "integers of every width are stored",
            law: "Integers of every width are stored as INT64 and read as their own type.",
            source: .cloudKit("CKRecordValueProtocol")
        ) { world in
            try await expectRoundTrip([Int8.min, .max], in: world)
            try await expectRoundTrip([UInt32.max], in: world, type: "Unsigned")
            try await expectRoundTrip([UInt64(Int64.max)], in: world, type: "Long")
            let narrow: UInt8? = try await world.privateDatabase().fetch("sample0")["value"]
            try expect("A number of another width", narrow, equals: 127)
        },
        ConformanceRule(
            .values, "a whole number beyond 64 signed bits is refused",
            law: "UInt64.max fits no field; saving it fails with invalidArguments, which names the field.",
            source: .cabinet("Numbers")
        ) { world in
            try await expectRefused(UInt64.max, in: world, naming: ["18446744073709551615"])
            try await expectRefused([UInt64(1), .max], in: world)
        },
        ConformanceRule(
            .values, "floating-point numbers keep every bit",
            law: "Every finite Double is stored exactly, including the smallest subnormal and the largest.",
            source: .cloudKit("the schema language, DOUBLE")
        ) { world in
            try await expectRoundTrip(
                [
                    0.1, 1 / 3, .pi, -2.5, 1e-300, 123_456_789.987_654_321, 9_007_199_254_740_992, 1e22, 1e23,
                    .leastNonzeroMagnitude, .leastNormalMagnitude, .greatestFiniteMagnitude, -.greatestFiniteMagnitude,
                    1, 0,
                ] as [Double], in: world)
        },
        ConformanceRule(
            .values, "a floating-point number without a fraction stays one",
            law: "2.0 saved into a new field creates a DOUBLE field and is read as a Double.",
            source: .cloudKit("the schema language, DOUBLE")
        ) { world in
            let database = try world.privateDatabase()
            try await database.save(Record("Samples", "one", ["value": 2.0]))
            try expect("The value", try await database.fetch("one").fieldValue("value"), equals: .double(2))
        },
        ConformanceRule(
            .values, "the infinities are stored",
            law: "Positive and negative infinity are numbers that a DOUBLE field holds.",
            source: .cabinet("the round trip of values")
        ) { world in
            try await expectRoundTrip([Double.infinity, -.infinity, 1], in: world)
            let database = try world.privateDatabase()
            let names = try await database.names("Samples", where: .compare("value", .greaterThan, 1e308))
            try expect("The records above 1e308", names, equals: ["sample2"])
        },
        ConformanceRule(
            .values, "NaN is refused",
            law: "NaN has no order; saving it, alone or in a list, fails with invalidArguments naming "
                + "the field.",
            source: .cabinet("the round trip of values")
        ) { world in
            try await expectRefused(Double.nan, in: world)
            try await expectRefused(Float.nan, in: world)
            try await expectRefused([1.0, .nan], in: world)
        },
        ConformanceRule(
            .values, "zero has no sign",
            law: "Negative zero is stored as zero, so that every backend finds it as zero and orders it as zero.",
            source: .cabinet("the round trip of values")
        ) { world in
            let database = try world.privateDatabase()
            try await database.saveAll([
                Record("Samples", "b", ["value": -0.0, "list": [-0.0, 1]]), Record("Samples", "a", ["value": 0.0]),
            ])
            let record = try await database.fetch("b")
            let value: Double? = record["value"]
            try expect("The sign of the value", value?.sign, equals: .plus)
            let list: [Double]? = record["list"]
            try expect("The sign of the element", list?.first?.sign, equals: .plus)
            let found = try await database.names("Samples", where: .compare("value", .equal, 0.0), by: [Sort("value")])
            try expect("The records whose value is zero", found, equals: ["b", "a"])
        },
        ConformanceRule(
            .values, "a Float is stored",
            law: "A Float is stored as a DOUBLE and reads as the same Float.",
            source: .cloudKit("CKRecordValueProtocol")
        ) { world in
            try await expectRoundTrip(
                [Float(0.1), .greatestFiniteMagnitude, .leastNonzeroMagnitude, -.infinity], in: world)
            let value: Float? = try await world.privateDatabase().fetch("sample3")["value"]
            try expect("The value", value, equals: Float(0.1))
        },
        ConformanceRule(
            .values, "a boolean is one or zero",
            law:
                "The schema has no boolean type: true is stored as 1 and false as 0, and both read as Bool and as Int.",
            source: .cloudKit("the schema language")
        ) { world in
            try await expectRoundTrip([true, false], in: world)
            let record = try await world.privateDatabase().fetch("sample0")
            let flag: Bool? = record["value"]
            try expect("The value as a boolean", flag, equals: false)
            try expect("The value as a number", record["value"] as? Int, equals: 0)
        },
        ConformanceRule(
            .values, "a number reads as any type that can hold it",
            law: "Numbers convert as NSNumber does: 2 reads as Double, 2.0 as Int; 300 does not read as UInt8, "
                + "and 2.5 not as Int.",
            source: .cabinet("Names")
        ) { world in
            let database = try world.privateDatabase()
            try await database.save(Record("Samples", "one", ["whole": 300, "double": 2.0, "fraction": 2.5]))
            let record = try await database.fetch("one")
            try expect("300 as Double", record["whole"], equals: 300.0)
            try expect("300 as UInt8", record["whole"], equals: UInt8?.none)
            try expect("2.0 as Int", record["double"], equals: 2)
            try expect("2.5 as Int", record["fraction"], equals: Int?.none)
        },
    ]
}

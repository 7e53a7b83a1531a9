import Cabinet
import Foundation
import Testing

@Suite("Evaluator: two-valued logic, nil, and the comparison of values")
struct EvaluatorTests {
    static let record: Record = {
        var record = Record(recordType: "Items", recordID: RecordID(recordName: "item"))
        record["n"] = 5
        record["d"] = 5.5
        record["big"] = Int64.max
        record["huge"] = 9_007_199_254_740_992.0
        record["flag"] = true
        record["s"] = "Milk"
        record["composed"] = "\u{E9}"
        record["decomposed"] = "e\u{301}"
        record["empty"] = ""
        record["at"] = Date(timeIntervalSinceReferenceDate: 0.25)
        record["data"] = Data([1, 2])
        record["list"] = Reference(recordID: RecordID(recordName: "list"), action: .deleteSelf)
        record["place"] = Location(latitude: 1, longitude: 2)
        record["tags"] = ["a", "b"]
        record["numbers"] = [1, 2]
        record["fractions"] = [1.0, 2.0]
        record["refs"] = [Reference(recordID: RecordID(recordName: "list"), action: .none)]
        return record
    }()

    @Test(
        "What holds",
        arguments: [
            // Numbers compare by value, exactly.
            "n == 5", "n = 5.0", "n != 6", "n < 5.5", "n <= 5", "n > -1", "n >= 5", "d > n", "n != d", "5 == n",
            "5 < d",
            "big == 9223372036854775807", "big != 9223372036854775806", "big < 9223372036854775808.0",
            "huge == 9007199254740992",
            "huge < 9007199254740993", "huge != 9007199254740993", "9007199254740993 > huge", "big < 1e300",
            "big > -1e300",
            "flag == YES", "flag == 1", "flag == TRUE", "n != YES", "flag != NO",
            // Text compares scalar by scalar.
            "s == 'Milk'", "s != 'milk'", "s < 'Milz'", "s > 'MIlk'", "s >= 'Milk'", "composed != decomposed",
            "composed == 'é'", "'e' < composed", "empty == ''", "empty < s", "'z' < composed",
            // Different kinds are never equal, and in no order.
            "s != 5", "NOT s == 5", "'5' != 5", "NOT '5' == 5", "NOT 'YES' == YES", "NOT s < 5", "NOT s > 5",
            "NOT n < 'a'", "at != 0.25",
            "tags != 'a'", "data != 'x'",
            // Lists.
            "tags == {'a', 'b'}", "tags != {'b', 'a'}", "tags != {'a'}", "numbers == {1, 2}", "numbers == fractions",
            "numbers == {1, 2.0}",
            "tags != {'a', 5}", "{} == {}", "numbers != {}", "{n, 6} == {5, 6}", "{1, 'a'} == {1, 'a'}",
            // BETWEEN.
            "n BETWEEN {5, 5}", "n BETWEEN {1, 5.0}", "NOT n BETWEEN {6, 9}", "NOT n BETWEEN {9, 1}",
            "s BETWEEN {'A', 'Z'}",
            "n BETWEEN {1, d}", "3 BETWEEN {1, n}", "NOT n BETWEEN {'a', 'z'}", "NOT 5 BETWEEN numbers",
            "1.5 BETWEEN numbers",
            // IN and CONTAINS.
            "n IN {1, 5}", "n IN {5.0}", "d IN {5.5, 1}", "NOT d IN {5, 6}", "NOT n IN {}", "NOT n IN {'5'}",
            "s IN {'x', 'Milk'}",
            "NOT composed IN {'e\u{301}'}", "'a' IN tags", "tags CONTAINS 'b'", "NOT tags CONTAINS 'c'",
            "2.0 IN numbers",
            "fractions CONTAINS 2", "'il' IN s", "s CONTAINS 'ilk'", "s CONTAINS 'Milk'", "NOT s CONTAINS 'Milky'",
            "NOT s CONTAINS ''",
            "NOT '' IN s", "NOT decomposed CONTAINS composed", "decomposed CONTAINS 'e'", "NOT s CONTAINS 5",
            "NOT 5 IN s",
            "{1, 2} CONTAINS 1", "{n, 'x'} CONTAINS 5", "numbers IN {{1, 2}, {3}}", "NOT tags CONTAINS 5", "n IN {n}",
            "huge IN {9007199254740992}",
            "NOT huge IN {9007199254740993}", "data IN {data}", "at IN {at}",
            // BEGINSWITH.
            "s BEGINSWITH 'Mi'", "s BEGINSWITH 'Milk'", "NOT s BEGINSWITH 'mi'", "NOT s BEGINSWITH ''",
            "NOT empty BEGINSWITH ''",
            "decomposed BEGINSWITH 'e'", "NOT composed BEGINSWITH 'e'", "'Milky' BEGINSWITH s",
            // Logic.
            "TRUEPREDICATE", "NOT FALSEPREDICATE", "n == 5 AND s == 'Milk'", "n == 6 OR s == 'Milk'",
            "NOT (n == 6 AND s == 'Milk')",
            "NOT (n == 6 OR s == 'x')",
            // References, dates, locations, bytes.
            "list == list", "list IN refs", "refs CONTAINS list", "refs == {list}", "place == place", "data == data",
        ])
    func holds(_ format: String) throws {
        #expect(try Filter(format).matches(Self.record))
        #expect(try !Filter("NOT (\(format))").matches(Self.record))
    }

    @Test(
        "Nil equals nil alone; every other operator is false with nil, on either side, and its NOT is true",
        arguments: ["missing", "NIL"])
    func nils(_ operand: String) throws {
        let values = ["5", "'x'", "s", "tags", "n", "list", "at", "{}"]
        for value in values {
            #expect(try Filter("\(operand) != \(value)").matches(Self.record), "\(value)")
            #expect(try Filter("\(value) != \(operand)").matches(Self.record), "\(value)")
            #expect(try !Filter("\(operand) == \(value)").matches(Self.record), "\(value)")
        }
        for other in ["NIL", "missing", "absent"] {
            #expect(try Filter("\(operand) == \(other)").matches(Self.record))
            #expect(try !Filter("\(operand) != \(other)").matches(Self.record))
        }
        let comparisons = [
            "< 5", "<= 5", "> 5", ">= 5", "< 'x'", "BETWEEN {1, 5}", "IN {1, 5}", "IN {NIL, 5}", "IN tags", "IN 'text'",
            "CONTAINS 'x'",
            "BEGINSWITH 'x'", "< NIL", "<= NIL", ">= NIL", "BETWEEN NIL", "IN NIL", "CONTAINS NIL", "BEGINSWITH NIL",
        ]
        for comparison in comparisons {
            #expect(try !Filter("\(operand) \(comparison)").matches(Self.record), "\(comparison)")
            #expect(try Filter("NOT \(operand) \(comparison)").matches(Self.record), "\(comparison)")
        }
        let mirrored = [
            "5 <", "5 <=", "5 >", "5 >=", "s <", "n BETWEEN", "n IN", "s IN", "tags CONTAINS", "s CONTAINS",
            "s BEGINSWITH",
        ]
        for comparison in mirrored {
            #expect(try !Filter("\(comparison) \(operand)").matches(Self.record), "\(comparison)")
            #expect(try Filter("NOT \(comparison) \(operand)").matches(Self.record), "\(comparison)")
        }
        #expect(try !Filter("n BETWEEN {\(operand), 9}").matches(Self.record))
        #expect(try Filter("n IN {\(operand), 5}").matches(Self.record))
    }

    @Test("Numbers compare exactly where doubles are coarser than integers")
    func exactNumbers() throws {
        let integers: [Int64] = [
            .min, .min + 1, -9_007_199_254_740_993, -1, 0, 1, 9_007_199_254_740_993, .max - 1, .max,
        ]
        let doubles = [
            -.infinity, -9.3e18, -9_223_372_036_854_775_808, -9_007_199_254_740_992, -0.5, 0, 0.5, 1,
            9_007_199_254_740_992,
            9_007_199_254_740_994, 9_223_372_036_854_775_808, 1e300, .infinity,
        ]
        for integer in integers {
            for double in doubles {
                // Decimal has 38 digits, enough for both.
                let exact = Decimal(integer)
                let order =
                    double == .infinity || double > 1e20
                    ? -1 : double == -.infinity ? 1 : exact < Decimal(double) ? -1 : exact > Decimal(double) ? 1 : 0
                var record = Record(recordType: "Numbers")
                record["i"] = integer
                record["d"] = double
                let note: Comment = "\(integer) \(double)"
                #expect(try Filter("i == d").matches(record) == (order == 0), note)
                #expect(try Filter("d != i").matches(record) == (order != 0), note)
                #expect(try Filter("i < d").matches(record) == (order < 0), note)
                #expect(try Filter("d <= i").matches(record) == (order >= 0), note)
                #expect(try Filter("i IN {%@}", double).matches(record) == (order == 0), note)
                #expect(try Filter("d IN {%@, 'x'}", integer).matches(record) == (order == 0), note)
                #expect(try Filter("d > %@", integer).matches(record) == (order < 0), note)
            }
        }
    }

    @Test("References are compared by record ID, regardless of their actions")
    func references() throws {
        func reference(
            _ name: String, _ action: Reference.Action, zone: String = RecordZone.ID.defaultZoneName
        ) -> Reference {
            Reference(recordID: RecordID(recordName: name, zoneID: RecordZone.ID(zoneName: zone)), action: action)
        }
        for action in Reference.Action.allCases {
            let same = reference("list", action)
            let others = [reference("other", action), reference("list", action, zone: "elsewhere")]
            #expect(try Filter("list == %@", same).matches(Self.record))
            #expect(try Filter("list IN %@", [same]).matches(Self.record))
            #expect(try Filter("refs CONTAINS %@ AND %@ IN refs", same, same).matches(Self.record))
            #expect(try Filter("refs == %@", [same]).matches(Self.record))
            for other in others {
                #expect(try !Filter("list == %@", other).matches(Self.record))
                #expect(try !Filter("list IN %@", [other]).matches(Self.record))
                #expect(try !Filter("refs CONTAINS %@", other).matches(Self.record))
            }
        }
        #expect(try Filter("list != 'list'").matches(Self.record))
    }

    @Test("System fields are read from the record; of a record that was never saved they are nil")
    func systemFields() throws {
        let date = Date(timeIntervalSinceReferenceDate: 100.5)
        let user = Reference(recordID: RecordID(recordName: "_user"), action: .none)
        let id = Reference(recordID: RecordID(recordName: "r1"), action: .deny)
        let stored = StoredRecord(
            recordID: RecordID(recordName: "r1"), recordType: "Items", sequenceNumber: 1, creationDate: date,
            creatorName: "_user",
            modificationDate: date + 1, lastModifierName: "_other", parentName: "p", fields: .empty)
        let saved = Record(stored)
        let parent = Reference(recordID: RecordID(recordName: "p"), action: .none)
        #expect(try Filter("creationDate == %@ AND modificationDate > %@", date, date).matches(saved))
        #expect(try Filter("creatorUserRecordID == %@ AND lastModifiedUserRecordID != %@", user, user).matches(saved))
        #expect(try Filter("recordID == %@ AND parent == %@", id, parent).matches(saved))
        #expect(try Filter("recordID IN %@", [id]).matches(saved))

        let unsaved = Record(recordType: "Items", recordID: RecordID(recordName: "r1"))
        let nils = "creationDate == NIL AND modificationDate == NIL AND creatorUserRecordID == NIL"
        #expect(try Filter("\(nils) AND lastModifiedUserRecordID == NIL AND parent == NIL").matches(unsaved))
        #expect(try Filter("recordID == %@", id).matches(unsaved))
    }

    @Test("A field that was not fetched, or that holds an invalid value, is an error")
    func unknownFields() throws {
        let partial = Record(
            StoredRecord(
                recordID: RecordID(), recordType: "Items", sequenceNumber: 1, creationDate: Date(), creatorName: "u",
                modificationDate: Date(), lastModifierName: "u",
                fields: FieldValues(names: FieldNames(["n"]), values: [.int64(5)], isComplete: false)))
        #expect(try Filter("n == 5").matches(partial))
        let missing = expectInvalidArguments { try Filter("s == 'x'").matches(partial) }
        #expect(missing?.fieldKey == "s")
        var misfit = Record(recordType: "Items")
        misfit["n"] = UInt64.max
        #expect(expectInvalidArguments { try Filter("n == NIL").matches(misfit) }?.fieldKey == "n")
    }

    @Test("An error that depends on the record is thrown during evaluation")
    func failures() throws {
        var record = Record(recordType: "Items")
        record["range"] = [1, 2, 3]
        expectInvalidArguments { try Filter("2 BETWEEN range").matches(record) }
        record["range"] = [1, 3]
        #expect(try Filter("2 BETWEEN range").matches(record))
        #expect(try Filter("NOT 2 BETWEEN missing").matches(record))
    }

    @Test("Records with other lists of names are judged by one compiled filter")
    func slots() throws {
        var compiled = try CompiledFilter(
            Filter("a == 1 AND b == 2 AND c == NIL"), fields: ["a": .int64, "b": .int64, "c": .int64])
        for round in 0..<300 {
            let names = [["a", "b"], ["b", "a"], ["x\(round)", "b", "a"], ["a", "b", "c"]][round % 4]
            let values = names.map { name -> FieldValue? in name == "a" ? .int64(1) : name == "b" ? .int64(2) : nil }
            let record = StoredRecord(
                recordID: RecordID(recordName: "r"), recordType: "Items", sequenceNumber: 1, creationDate: Date(),
                creatorName: "u",
                modificationDate: Date(), lastModifierName: "u",
                fields: FieldValues(names: FieldNames(names), values: values))
            #expect(try compiled.matches(record))
        }
    }
}

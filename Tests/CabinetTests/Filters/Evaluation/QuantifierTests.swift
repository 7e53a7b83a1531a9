import Cabinet
import Foundation
import Testing

@Suite("Quantifiers: ANY, SOME, ALL and NONE")
struct QuantifierTests {
    static let record: Record = {
        var record = Record(recordType: "Items")
        record["tags"] = ["new", "cold", "New"]
        record["numbers"] = [1, 2, 3]
        record["fractions"] = [0.5, 2.5]
        record["empty"] = [String]()
        record["refs"] = [Reference(recordID: RecordID(recordName: "a"), action: .none)]
        record["two"] = 2
        record["s"] = "cold"
        record["range"] = [1, 3]
        return record
    }()

    @Test(
        "What holds",
        arguments: [
            "ANY tags == 'cold'", "SOME tags == 'cold'", "NOT ANY tags == 'warm'", "NOT ALL tags == 'cold'",
            "NONE tags == 'warm'", "NOT NONE tags == 'cold'", "ANY tags != 'cold'", "ALL tags != 'warm'",
            "ANY numbers > 2",
            "NOT ANY numbers > 3", "ALL numbers > 0", "NOT ALL numbers > 1", "NONE numbers > 3", "NOT NONE numbers > 2",
            "ANY numbers == 2.0", "ALL numbers BETWEEN {1, 3}", "NOT ALL numbers BETWEEN {1, 2}",
            "ANY numbers BETWEEN {3, 9}", "NOT ANY numbers BETWEEN {4, 9}", "NONE numbers BETWEEN {4, 9}",
            "ALL numbers BETWEEN range", "ANY fractions BETWEEN {2, 3}", "ANY numbers == two",
            "ALL numbers IN {1, 2, 3, 4}",
            "NOT ALL numbers IN {1, 2}", "ANY tags IN {'x', 'new'}", "NONE tags IN {'x'}", "ANY tags BEGINSWITH 'co'",
            "ANY tags ENDSWITH 'ld'", "ALL tags LIKE '*?'", "ANY tags LIKE 'n?w'", "NONE tags LIKE 'w*'",
            "ANY tags MATCHES 'c.*d'", "ALL tags MATCHES '[a-zA-Z]+'", "ANY tags CONTAINS 'ol'",
            "ANY tags IN 'so cold'",
            "ANY tags ==[c] 'COLD'", "NOT ANY tags == 'COLD'", "ALL tags IN[c] {'NEW', 'COLD'}", "ANY tags LIKE s",
            "ANY refs == refs OR NOT ANY refs == refs", "ANY tags == s", "NONE tags == 5", "ANY {1, 2} == two",
            "ANY {1, 'cold'} == s", "ALL {two, 2} == 2", "ANY {{1, 3}, {2}} == range",
            // The empty list, and nil, which has no elements either.
            "NOT ANY empty == 'x'", "NOT ANY empty != 'x'", "NOT SOME empty == 'x'", "ALL empty == 'x'",
            "NONE empty == 'x'",
            "ALL empty BETWEEN {1, 2}", "NONE empty LIKE '*'", "NOT ANY {} == 1", "ALL {} == 1",
            "NOT ANY missing == 'x'",
            "ALL missing == 'x'", "NONE missing == 'x'", "NOT ANY NIL == NIL", "NOT ANY tags == NIL", "ALL tags != NIL",
        ])
    func holds(_ format: String) throws {
        #expect(try Filter(format).matches(Self.record))
        #expect(try !Filter("NOT (\(format))").matches(Self.record))
    }

    @Test(
        "A value that is not a list is refused, and so are bounds of a record that are not bounds",
        arguments: ["ANY", "SOME", "ALL", "NONE"])
    func failures(_ word: String) throws {
        for format in ["two == 2", "s LIKE 'x'", "recordID == refs", "numbers BETWEEN numbers", "tags LIKE 5"] {
            expectInvalidArguments(Comment(rawValue: format)) { try Filter("\(word) \(format)").matches(Self.record) }
        }
    }
}

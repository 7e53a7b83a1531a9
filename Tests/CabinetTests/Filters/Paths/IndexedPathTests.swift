import Foundation
import Testing

@testable import Cabinet

@Suite("Paths into JSON that indexes cover")
struct IndexedPathTests {
    @Test(
        "The name of the hidden field spells the path",
        arguments: [
            ("address.@string.city", "_address_2e_40string_2ecity"), ("a_b.@int64.c_d", "_a__b_2e_40int64_2ec__d"),
            ("a.@double.é", "_a_2e_40double_2e_c3_a9"), ("a.@string", "_a_2e_40string"),
            ("a.@timestamp.x~1y.~2z.~0", "_a_2e_40timestamp_2ex_7e1y_2e_7e2z_2e_7e0"),
            ("a.@string.b.@double.0", "_a_2e_40string_2eb_2e_40double_2e0"),
        ])
    func names(key: String, hiddenKey: String) throws {
        let path = try #require(IndexedPath(key))
        #expect(path.key == key)
        #expect(path.hiddenKey == hiddenKey)
        #expect(IndexedPath(hiddenKey: hiddenKey) == path)
        #expect(FieldNames.isHidden(hiddenKey))
        #expect(!NameGrammar.identifier.allows(hiddenKey))
        #expect(path.renamed("other").key == "other" + key.dropFirst(path.fieldKey.count))
    }

    @Test(
        "Other keys are not such paths",
        arguments: [
            "name", "list.name", "list.address.@string.city", "tags.@count", "tags.@sum.@int64.n", "recordID.@string.a",
            "a.@bytes.b", "a.@int64.b.@string.c", "@string.a", "a.@string..b", "",
            "SUBQUERY(Items.list, $x, TRUEPREDICATE).@count",
        ])
    func others(key: String) {
        #expect(IndexedPath(key) == nil)
    }

    @Test(
        "A name that no path spells is not that of its hidden field",
        arguments: [
            "_", "__", "_address", "_a_2e", "_a_2e_40string_2", "_a_2e_40string_zz", "_a_2E_40string_2eb",
            "_a_2e_40string_2e_61", "_a_2e_40string_2e_", "a_2e_40string_2eb", "_a_2e_40string_2e_c3", "_\u{e9}",
        ])
    func malformed(name: String) {
        #expect(IndexedPath(hiddenKey: name) == nil)
    }

    @Test("A value is read through each text, and a zero has no sign")
    func values() throws {
        let fields = FieldValues(
            names: FieldNames(["a", "n"]), values: [.string(#"{"b":{"c":-0.0,"d":"x"}}"#), .int64(1)])
        func value(_ key: String) throws -> FieldValue? { try #require(IndexedPath(key)).value(in: fields) }
        #expect(try value("a.@string.b.@string.d") == .string("x"))
        #expect(try value("a.@string.b.d") == .string("x"))
        #expect(try value("a.@double.b.c").map { "\($0)" } == "0.0")
        #expect(try value("a.@int64.b.d") == nil)
        #expect(try value("n.@int64") == nil)
        #expect(try value("none.@string.b") == nil)
    }

    @Test("Clients see no hidden field of a stored record")
    func visibleFields() {
        let names = FieldNames(["a", "_a_2e_40string_2eb", "n"])
        var stored = StoredRecord(
            recordID: RecordID(recordName: "r"), recordType: "Items", sequenceNumber: 1, creationDate: .distantPast,
            creatorName: "_user", modificationDate: .distantPast, lastModifierName: "_user",
            fields: FieldValues(names: names, values: [.string("{}"), .string("x"), nil]))
        #expect(Record(stored).allKeys() == ["a"])
        #expect(Record(stored).fields.names.names == ["a", "n"])
        #expect(Record(stored).fields.names === names.visible)
        // The JSON has no such member.
        #expect(IntegrityRule.issues(of: stored).map(\.fieldKey) == ["a"])
        stored.fields["a"] = .string(#"{"b":"x"}"#)
        #expect(IntegrityRule.issues(of: stored).isEmpty)
        stored.fields = stored.fields.selecting(["n", "_a_2e_40string_2eb"])
        #expect(!Record(stored).fields.knows("a"))
        #expect(FieldNames(["a", "n"]).visible == nil)
    }
}

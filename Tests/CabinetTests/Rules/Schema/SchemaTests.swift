import Foundation
import Testing

@testable import Cabinet

@Suite("Schema")
struct SchemaTests {
    private let schema: Schema = {
        var schema = Schema()
        schema["Lists"]["name"] = Schema.Field(.string)
        schema["Items"]["name"] = Schema.Field(.string, [.searchable, .queryable])
        schema["Items"]["tags"] = Schema.Field(.list(of: .string))
        schema["Items"].indexes = [["list", "name"], ["list", "creationDate"]]
        schema["Empty"] = Schema.RecordType()
        return schema
    }()

    @Test("A schema describes itself in the schema language")
    func description() {
        #expect(
            schema.description == """
                RECORD TYPE Empty ()
                RECORD TYPE Items (
                    name STRING QUERYABLE SEARCHABLE,
                    tags LIST<STRING>,
                    INDEX (list, creationDate),
                    INDEX (list, name)
                )
                RECORD TYPE Lists (
                    name STRING
                )
                """)
        #expect(Schema.Field.Options().description == "")
    }

    @Test("A schema is readable as JSON, and is restored from it")
    func coding() throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let text = String(decoding: try encoder.encode(schema), as: UTF8.self)
        #expect(
            text == """
                {"recordTypes":{"Empty":{"fields":{}},"Items":{"fields":{"name":{"options":["QUERYABLE","SEARCHABLE"],\
                "type":"STRING"},"tags":{"type":"LIST<STRING>"}},"indexes":[["list","creationDate"],["list","name"]]},\
                "Lists":{"fields":{"name":{"type":"STRING"}}}}}
                """)
        #expect(try JSONDecoder().decode(Schema.self, from: Data(text.utf8)) == schema)
        let short = #"{"recordTypes":{"Empty":{}}}"#
        #expect(try JSONDecoder().decode(Schema.self, from: Data(short.utf8))["Empty"] == Schema.RecordType())
    }

    @Test("Delete rules are described, coded and merged", arguments: Reference.Action.allCases)
    func deleteRules(_ action: Reference.Action) throws {
        var schema = Schema()
        schema["Items"]["list"] = Schema.Field(.reference, .queryable, onDelete: action)
        #expect(try JSONDecoder().decode(Schema.self, from: JSONEncoder().encode(schema)) == schema)
        #expect(schema.description.contains("list REFERENCE QUERYABLE ON DELETE \(action.word)"))
        var merged = schema
        merged.merge(Schema(StoredSchema(schema)))
        #expect(merged == schema)
        let json = #"{"fields":{"a":{"type":"REFERENCE","deleteRule":"CASCADE"}}}"#
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(Schema.RecordType.self, from: Data(json.utf8))
        }
    }

    @Test(
        "Data that is not a schema is refused",
        arguments: [
            #"{"fields":{"a":{"type":"TEXT"}}}"#, #"{"fields":{"a":{"type":"STRING","options":["UNIQUE"]}}}"#,
            #"{"fields":{"a":{"type":"STRING","options":"QUERYABLE"}}}"#, #"{"indexes":["a","b"]}"#,
        ])
    func refusals(json: String) {
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(Schema.RecordType.self, from: Data(json.utf8))
        }
    }

    @Test("Schemas are merged field by field; the argument's types take precedence")
    func merging() {
        var merged = schema
        var other = Schema()
        other["Items"]["name"] = Schema.Field(.string, .sortable)
        other["Items"]["tags"] = Schema.Field(.int64, .queryable)
        other["Items"].indexes = [["name", "tags"]]
        other["New"] = Schema.RecordType()
        merged.merge(other)
        #expect(merged["Items"]["name"] == Schema.Field(.string, [.queryable, .sortable, .searchable]))
        #expect(merged["Items"]["tags"] == Schema.Field(.int64, .queryable))
        #expect(merged["Items"].indexes.count == 3)
        #expect(Set(merged.recordTypes.keys) == ["Empty", "Items", "Lists", "New"])
    }

    @Test("A stored schema becomes a schema, with users' own records if they have fields")
    func stored() {
        let stored = StoredSchema(
            recordTypes: ["Items": ["name": .string], "Users": ["nickname": .string]],
            indexes: ["Items": [.queryable("name"), .sortable("creationDate"), .compound(["name", "recordID"])]])
        var expected = Schema()
        expected["Items"]["name"] = Schema.Field(.string, .queryable)
        expected["Items"]["creationDate"] = Schema.Field(.timestamp, .sortable)
        expected["Items"].indexes = [["name", "recordID"]]
        expected["Users"]["nickname"] = Schema.Field(.string)
        #expect(Schema(stored) == expected)
        #expect(Schema(StoredSchema(recordTypes: ["Users": [:]])) == Schema())
        #expect(StoredSchema(expected) == stored)
        #expect(expected["Items"].storedIndexes == stored.indexes["Items"])
    }

    @Test("An extension by existing fields is not a change")
    func changes() throws {
        let stored = StoredSchema(recordTypes: ["Items": ["a": .string]], indexes: ["Items": [.queryable("a")]])
        var schema = Schema()
        schema["Items"]["a"] = Schema.Field(.string, .queryable)
        #expect(try SchemaExtensionRule.changes(to: stored, by: schema).isEmpty)
        #expect(try SchemaExtensionRule.changes(to: stored, by: Schema()).isEmpty)
        schema["Items"]["a"]?.options = []
        let changes = try SchemaExtensionRule.changes(to: stored, by: schema)
        #expect(changes.additions.isEmpty && changes.indexes.map(\.indexes) == [[]])
    }
}

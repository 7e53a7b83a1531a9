import Cabinet
import Foundation
import PostgresTestSupport
import SQLSupport
import Testing

@testable import CabinetPostgres

/// Renames in one of the databases that share tables.
@Suite struct RenamingTests {
    private func database(_ backend: PostgresBackend, user: String = "_anna") throws -> Database {
        try Container(identifier: "com.example.renames", backend: backend, account: Account(userRecordName: user))
            .privateDatabase
    }

    private func item(_ name: String, type: String = "Items", _ fields: [String: Int]) -> Record {
        var record = Record(recordType: type, recordID: RecordID(recordName: name))
        for (key, value) in fields { record[key] = value }
        return record
    }

    @Test("A rename in one database changes neither the tables nor the other databases, and other servers notice it")
    func otherDatabases() async throws {
        let configuration = Stores.configuration()
        let backend = try await Stores.backend(configuration)
        let second = try await Stores.backend(configuration)
        let (anna, ben) = (try database(backend), try database(backend, user: "_ben"))
        var tokens: [ServerChangeToken] = []
        for each in [anna, ben] {
            try await each.save(item("a", ["due": 1]))
            tokens.append(try await each.recordZoneChanges(inZoneWith: .default, since: nil).changeToken)
            try await each.save(item("gone", ["due": 1]))
            try await each.deleteRecord(withID: RecordID(recordName: "gone"))
        }
        let elsewhere = try database(second)
        #expect(try await elsewhere.record(for: RecordID(recordName: "a"))["due"] == 1)

        try await anna.rename(SchemaPart("Items", "due"), to: "dueDate")
        #expect(try await elsewhere.record(for: RecordID(recordName: "a"))["dueDate"] == 1)
        try await elsewhere.rename(SchemaPart("Items"), to: "Tasks")
        #expect(try await anna.record(for: RecordID(recordName: "a")).recordType == "Tasks")
        let changes = try await anna.recordZoneChanges(inZoneWith: .default, since: tokens[0])
        #expect(changes.deletions.map(\.recordType) == ["Tasks"])
        #expect(try await ben.record(for: RecordID(recordName: "a"))["due"] == 1)
        #expect(
            try await ben.recordZoneChanges(inZoneWith: .default, since: tokens[1]).deletions.map(\.recordType) == [
                "Items"
            ])

        // The old names get a table and a column of their own, in this database alone.
        var schema = try await anna.schema()
        schema["Tasks"]["due"] = Schema.Field(.int64, .sortable)
        schema["Items"]["due"] = Schema.Field(.int64)
        try await anna.apply(schema)
        try await anna.save(item("b", type: "Tasks", ["due": 2, "dueDate": 3]))
        try await anna.save(item("c", ["due": 4]))
        try await ben.save(item("b", ["due": 5]))
        #expect(try await elsewhere.record(for: RecordID(recordName: "b"))["due"] == 2)
        #expect(try await elsewhere.record(for: RecordID(recordName: "b"))["dueDate"] == 3)
        #expect(try await elsewhere.sum(of: "due", matching: Query(recordType: "Items")) == 4)
        #expect(try await ben.sum(of: "due", matching: Query(recordType: "Items")) == 6)
        let connection = try Connection(
            ConnectionParameters(try await PostgresServer.shared.value.connection()), configuration: configuration)
        let physical = try PhysicalTables(loadingFrom: connection, schema: SchemaName(configuration.schema))
        #expect(Set(physical.tables.keys).subtracting(["Users"]) == ["Items", "Items$2"])
        #expect(Set(physical.tables["Items"]?.columns.map(\.name) ?? []) == ["due", "due$2"])
        await backend.close()
        await second.close()
    }

    @Test("The text of a schema with other names than those of the tables is read again")
    func coding() throws {
        var content = DatabaseSchema()
        let fields = [StoredField(name: "due", type: .int64), StoredField(name: "name", type: .string)]
        content.add(fields, to: "Items")
        content.setIndexes([.queryable("due"), .compound(["name", "due"])], of: "Items")
        #expect(DatabaseSchema(content: try content.content()) == content)
        #expect(!content.hasOtherNames)
        content.rename(SchemaPart("Items", "due"), to: "dueDate")
        content.rename(SchemaPart("Items"), to: "Tasks")
        content.add(fields, to: "Items")
        content.add(fields, to: "Tasks")
        #expect(content.registeredName(of: "Tasks") == "Items")
        #expect(content.registeredName(of: "Items") == "Items$2")
        #expect(content.fieldNames == ["Tasks": ["dueDate": "due", "due": "due$2"]])
        #expect(content.schema.indexes == ["Tasks": [.queryable("dueDate"), .compound(["name", "dueDate"])]])
        let text = try content.content()
        #expect(DatabaseSchema(content: text) == content)
        #expect(!text.contains("\"types\""))
        content.rename(SchemaPart("Items"), to: "Old")
        content.rename(SchemaPart("Tasks"), to: "Items")
        content.rename(SchemaPart("Items", "due"), to: "other")
        content.rename(SchemaPart("Items", "dueDate"), to: "due")
        #expect(content.typeNames == ["Old": "Items$2"])
        #expect(content.fieldNames == ["Items": ["other": "due$2"]])
    }
}

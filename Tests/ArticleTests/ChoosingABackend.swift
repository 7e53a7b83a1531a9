import Cabinet
import CabinetSQLite
import Foundation
import Testing

// snippet: choose
/// Returns the store that the environment names: a folder, or none.
func backend(environment: [String: String]) -> any StorageBackend {
    guard let path = environment["STORE"] else { return MemoryBackend() }
    return SQLiteBackend(directory: URL(filePath: path))
}
// end

@Suite("The article about choosing a backend: its programs run")
struct ChoosingABackend {
    @Test func indexes() async throws {
        let container = try Container(identifier: "com.example.indexes", backend: MemoryBackend())
        // snippet: indexes
        var schema = try await container.schema()
        schema["Items"]["name"] = Schema.Field(
            .string, [.queryable, .sortable, .searchable])
        schema["Items"]["list"] = Schema.Field(.reference)
        schema["Items"].indexes = [["list", "name"]]
        try await container.apply(schema)
        // end
        schema["Contacts"]["name"] = Schema.Field(.string)
        // snippet: jsonIndex
        schema["Contacts"]["address"] = Schema.Field(.string)
        schema["Contacts"].indexes = [
            ["address.@string.city"], ["name", "address.@int64.floor"],
        ]
        // end
        try await container.apply(schema)
        #expect(try await container.schema() == schema)
        #expect(try await container.schema()["Items"].indexes == [["list", "name"]])
    }

    @Test func choosing() async throws {
        let folder = URL.temporaryDirectory.appending(path: "\(UUID())")
        defer { try? FileManager.default.removeItem(at: folder) }
        #expect(backend(environment: [:]) is MemoryBackend)
        let container = try Container(
            identifier: "com.example.choosing", backend: backend(environment: ["STORE": folder.path]))
        try await container.privateDatabase.save(Record(recordType: "Items"))
        #expect(FileManager.default.fileExists(atPath: folder.path))
        await container.close()
    }
}

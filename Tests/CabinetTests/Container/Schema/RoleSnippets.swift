import Cabinet
import Testing

@Suite("The article about roles and unique values: its programs run")
struct RoleSnippets {
    @Test func roles() async throws {
        let backend = MemoryBackend()
        // snippet: roles
        var schema = Schema(recordTypes: [:], roles: ["Editor"])
        schema["Posts"] = Schema.RecordType(
            fields: ["title": .init(.string)],
            grants: [
                "_world": [.read], "_icloud": [.create], "_creator": [.write],
                "Editor": [.write],
            ])

        let container = try Container(
            identifier: "com.example.news", backend: backend,
            account: Account(userRecordName: "_eva", roles: ["Editor"]))
        try await container.deploy(schema)
        // end
        let anna = try Container(
            identifier: "com.example.news", backend: backend,
            account: Account(userRecordName: "_anna"))
        let post = try await anna.publicDatabase.save(
            Record(recordType: "Posts"))
        try await container.publicDatabase.deleteRecord(withID: post.recordID)

        let other = try await anna.publicDatabase.save(Record(recordType: "Posts"))
        let ben = try Container(
            identifier: "com.example.news", backend: backend,
            account: Account(userRecordName: "_ben"))
        await #expect(throws: CabinetError(.permissionFailure)) {
            try await ben.publicDatabase.deleteRecord(withID: other.recordID)
        }
    }

    @Test func uniqueValues() async throws {
        let backend = MemoryBackend()
        let container = try Container(
            identifier: "com.example.news", backend: backend)
        let database = container.publicDatabase
        // snippet: unique
        var schema = Schema()
        schema["Votes"]["post"] = Schema.Field(.reference)
        schema["Votes"].uniqueKeys = [["post", "creatorUserRecordID"]]
        try await container.apply(schema)

        let post = RecordID(recordName: "post-1")
        var vote = Record(recordType: "Votes")
        vote["post"] = Reference(recordID: post, action: .none)
        try await database.save(vote)
        do {
            var second = Record(recordType: "Votes")
            second["post"] = Reference(recordID: post, action: .none)
            try await database.save(second)
        } catch let error as CabinetError
            where error.code == .constraintViolation
        {
            print(error.message)  // The record … of Votes has post = …
        }
        // end
        let count = try await database.count(
            matching: Query(recordType: "Votes"))
        #expect(count == 1)
    }
}

import Cabinet
import CabinetMirror
import Testing

/// Changes of schemas: those that a program asks of the mirror, and those on the server.
@Suite("Schemas and a mirror")
struct MirrorSchemaTests {
    private static let text = SchemaPart("Notes", "text")

    @Test("A mirror refuses to rename, to drop and to change types, and says where this is done")
    func refusals() async throws {
        let scene = try await MirrorScene()
        let device = try await scene.device()
        try await device.set("1", of: "a")
        let (container, database) = (device.container, device.database)
        let changes: [() async throws -> Void] = [
            { try await database.rename(Self.text, to: "title") },
            { try await container.renameField("text", to: "title", of: "Notes") },
            { try await container.renameRecordType("Notes", to: "Memos") },
            { try await database.drop(Self.text, losingAtMost: 10) },
            { try await container.changeField("text", of: "Notes", to: .double) },
        ]
        for change in changes {
            await #expect { try await change() } throws: { error in
                let error = error as? CabinetError
                return error?.code == .badDatabase && error?.message.contains("the container that it mirrors") == true
            }
        }
        try await device.sync()
        #expect(try await scene.text(of: "a") == "1")
        #expect(device.mirror.status.isIdle)
    }

    @Test("A mirror drops a local field that no record has, so that the server's field can have another type")
    func emptyField() async throws {
        let scene = try await MirrorScene()
        let device = try await scene.device()
        try await device.set("1", of: "a")
        try await device.sync()
        #expect(try await device.database.lossesOfDrop(Self.text) == 1)
        await #expect(throws: CabinetError.self) { try await device.database.drop(Self.text, losingAtMost: 0) }
        #expect(try await device.text(of: "a") == "1")
        try await scene.remote.deleteRecord(withID: scene.id("a"))
        try await device.sync()
        try await device.database.drop(Self.text, losingAtMost: 0)
        try await scene.remote.drop(Self.text, losingAtMost: 0)
        var record = Record(recordType: "Notes", recordID: scene.id("b"))
        record["text"] = 2
        try await scene.remote.save(record)
        try await device.sync()
        #expect(try await device.database.record(for: scene.id("b"))["text"] as Int? == 2)
        #expect(device.mirror.status.isIdle)
    }

    @Test("A mirror does not follow a rename on the server until the records change there")
    func renamedOnServer() async throws {
        let scene = try await MirrorScene()
        let device = try await scene.device()
        for name in ["a", "b"] { try await device.set("1", of: name) }
        try await device.sync()
        try await scene.remote.rename(SchemaPart("Notes"), to: "Memos")
        try await device.sync()
        #expect(try await device.database.count(matching: Query(recordType: "Notes")) == 2)
        try await scene.remote.change(scene.id("a"), "text", "2")
        try await device.set("3", of: "b")
        try await device.sync()
        #expect(try await device.database.record(for: scene.id("a")).recordType == "Memos")
        #expect(try await device.text(of: "a") == "2")
        let change = try #require(try await device.mirror.pendingChanges().first)
        #expect(change.recordID == scene.id("b") && change.error?.code == .invalidArguments)
        #expect(try await scene.text(of: "b") == "1")
        #expect(try await device.text(of: "b") == "3")
    }

    @Test(
        "An edit under a field's old name is set aside, also if others have changed the record since the rename",
        arguments: [false, true])
    func renamedField(isSentFirst: Bool) async throws {
        let scene = try await MirrorScene()
        let device = try await scene.device()
        try await device.set("1", of: "a")
        try await device.sync()
        try await device.set("mine", of: "a")
        try await scene.remote.rename(Self.text, to: "body")
        if isSentFirst { try await device.mirror.sendChanges() }
        try await scene.remote.change(scene.id("a"), "title", "theirs")
        try await device.sync()
        let change = try #require(try await device.mirror.pendingChanges().first)
        #expect(change.error?.code == .invalidArguments && change.error?.message.contains("'body'") == true)
        #expect(try await device.text(of: "a") == "mine")
        #expect(try await device.text("title", of: "a") == "theirs")

        // The program moves its value to the new name.
        var record = try await device.database.record(for: scene.id("a"))
        record["body"] = "mine"
        record["text"] = nil
        try await device.database.save(record)
        try await device.sync()
        #expect(try await scene.text("body", of: "a") == "mine")
        #expect(try await scene.text("title", of: "a") == "theirs")
        #expect(device.mirror.status.isIdle)
    }
}

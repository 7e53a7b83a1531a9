import Cabinet
import CabinetMirror
import CabinetTesting
import Foundation
import Testing

/// The table of conflicts of the article "Mirroring a server", line by line.
@Suite("Conflicts of a mirror")
struct ConflictTests {
    /// Creates a scene whose device has the note `a`, which another client then changes; the device has not seen that.
    private func scene(
        _ kind: RemoteKind, configure: (inout MirrorConfiguration) -> Void = { _ in },
        change: (Database, RecordID) async throws -> Void
    ) async throws -> (MirrorScene, TestDevice) {
        let scene = try await MirrorScene(kind)
        let device = try await scene.device(configure: configure)
        try await device.set("0", of: "a")
        try await device.sync()
        try await change(try scene.remote, scene.id("a"))
        return (scene, device)
    }

    @Test("Edits of different fields are both kept", arguments: RemoteKind.allCases)
    func differentFields(on kind: RemoteKind) async throws {
        let (scene, device) = try await scene(kind) { try await $0.change($1, "title", "theirs") }
        try await device.set("mine", of: "a")
        try await device.sync()
        #expect(try await scene.text(of: "a") == "mine")
        #expect(try await scene.text("title", of: "a") == "theirs")
        #expect(try await device.text("title", of: "a") == "theirs")
        #expect(device.mirror.status.isIdle)
    }

    @Test(
        "Of two edits of a field, the one that reached the server first wins, or the one that a resolver chooses",
        arguments: RemoteKind.allCases, [false, true])
    func sameField(on kind: RemoteKind, hasResolver: Bool) async throws {
        let (scene, device) = try await scene(
            kind, configure: { if hasResolver { $0.resolver = .fieldwise(whenBothChanged: .client) } }
        ) { try await $0.change($1, "text", "theirs") }
        try await device.set("mine", of: "a")
        try await device.sync()
        let winner = hasResolver ? "mine" : "theirs"
        #expect(try await scene.text(of: "a") == winner)
        #expect(try await device.text(of: "a") == winner)
        #expect(device.mirror.status.isIdle)
    }

    @Test("Of an edit of a field and the removal of its value, the edit wins", arguments: RemoteKind.allCases)
    func removedValue(on kind: RemoteKind) async throws {
        let (scene, device) = try await scene(kind) { remote, id in
            var record = try await remote.record(for: id)
            record["text"] = nil
            try await remote.save(record)
        }
        try await device.set("mine", of: "a")
        try await device.sync()
        #expect(try await scene.text(of: "a") == "mine")
        #expect(try await device.text(of: "a") == "mine")
        #expect(device.mirror.status.isIdle)
    }

    @Test("The clock of a device decides no conflict", arguments: RemoteKind.allCases)
    func fastClock(on kind: RemoteKind) async throws {
        let scene = try await MirrorScene(kind)
        let device = try await scene.device()
        scene.clock.advance(by: 86_400)
        try await device.set("0", of: "a")
        scene.clock.advance(by: -86_400)
        try await device.sync()
        try await scene.remote.change(scene.id("a"), "text", "theirs")
        try await device.set("mine", of: "a")
        try await device.sync()
        #expect(try await scene.text(of: "a") == "theirs")
        #expect(try await device.text(of: "a") == "theirs")
        #expect(device.mirror.status.isIdle)
    }

    @Test(
        "If others delete a record and create it again, an edit keeps its field, and takes all others from them",
        arguments: RemoteKind.allCases)
    func createdAgain(on kind: RemoteKind) async throws {
        let scene = try await MirrorScene(kind)
        let device = try await scene.device { $0.resolver = .fieldwise(whenBothChanged: .client) }
        try await device.set("0", of: "a")
        try await device.set("old", "title", of: "a")
        try await device.sync()
        try await device.set("mine", of: "a")
        try await scene.remote.deleteRecord(withID: scene.id("a"))
        try await device.mirror.fetchChanges()
        var record = scene.note("a", "theirs")
        record["title"] = "new"
        try await scene.remote.save(record)
        try await device.sync()
        for database in [try scene.remote, device.database] {
            #expect(try await database.text(of: "a", in: scene.home) == "mine")
            #expect(try await database.text("title", of: "a", in: scene.home) == "new")
        }
        #expect(device.mirror.status.isIdle)
    }

    @Test(
        "A resolver that throws sets the edit aside, and the program decides", arguments: RemoteKind.allCases,
        [false, true])
    func throwingResolver(on kind: RemoteKind, isRetried: Bool) async throws {
        let (scene, device) = try await scene(
            kind, configure: { $0.resolver = ConflictResolver { _ in throw CabinetError(.badContainer, "Undecided.") } }
        ) { try await $0.change($1, "text", "theirs") }
        try await device.set("mine", of: "a")
        try await device.sync()
        let change = try #require(try await device.mirror.pendingChanges().first)
        #expect(change.error?.message == "Undecided.")
        #expect(change.record?["text"] as? String == "mine" && change.serverRecord?["text"] as? String == "theirs")
        if isRetried {
            try await device.mirror.retry([change.recordID])
        } else {
            try await device.mirror.discard([change.recordID])
        }
        try await device.sync()
        let winner = isRetried ? "mine" : "theirs"
        #expect(try await scene.text(of: "a") == winner)
        #expect(try await device.text(of: "a") == winner)
        #expect(device.mirror.status.isIdle)
    }

    @Test(
        "Of an edit and a deletion, the edit wins, or the deletion if the program says so",
        arguments: RemoteKind.allCases, [false, true])
    func deletion(on kind: RemoteKind, deletionWins: Bool) async throws {
        func configure(_ configuration: inout MirrorConfiguration) {
            if deletionWins { configuration.deletionConflict = .deletionWins }
        }
        let (scene, device) = try await scene(kind, configure: configure) { try await $0.deleteRecord(withID: $1) }
        try await device.set("mine", of: "a")
        try await device.sync()
        #expect(try await scene.text(of: "a") == (deletionWins ? nil : "mine"))
        #expect(try await device.text(of: "a") == (deletionWins ? nil : "mine"))

        let (other, second) = try await self.scene(kind, configure: configure) {
            try await $0.change($1, "text", "theirs")
        }
        try await second.database.deleteRecord(withID: other.id("a"))
        try await second.sync()
        #expect(try await other.text(of: "a") == (deletionWins ? nil : "theirs"))
        #expect(try await second.text(of: "a") == (deletionWins ? nil : "theirs"))
        #expect(device.mirror.status.isIdle && second.mirror.status.isIdle)
    }

    @Test(
        "A record that is saved again after its deletion is merged with an edit, and is not dropped by a deletion",
        arguments: RemoteKind.allCases, MirrorConfiguration.DeletionConflict.allCases)
    func savedAgain(on kind: RemoteKind, conflict: MirrorConfiguration.DeletionConflict) async throws {
        for isEdited in [true, false] {
            let (scene, device) = try await scene(kind, configure: { $0.deletionConflict = conflict }) { remote, id in
                if isEdited { return try await remote.change(id, "title", "theirs") }
                try await remote.deleteRecord(withID: id)
            }
            try await device.database.deleteRecord(withID: scene.id("a"))
            try await device.database.save(scene.note("a", "mine"))
            try await device.sync()
            for database in [try scene.remote, device.database] {
                #expect(try await database.text(of: "a", in: scene.home) == "mine")
                #expect(try await database.text("title", of: "a", in: scene.home) == (isEdited ? "theirs" : nil))
            }
            #expect(device.mirror.status.isIdle)
        }
    }

    @Test("A deletion here deletes what another client has made refer to the record, by the server's rules")
    func deleteRules() async throws {
        let (scene, device) = try await scene(.cabinet) { remote, id in
            var child = MirrorScene.note("child", "theirs")
            child["list"] = Reference(recordID: id, action: .deleteSelf)
            try await remote.save(child)
        }
        try await device.database.deleteRecord(withID: scene.id("a"))
        try await device.sync()
        #expect(try await scene.text(of: "child") == nil)
        #expect(try await device.text(of: "child") == nil)

        // A rule that denies the deletion sets it aside, and the record can return.
        try await device.set("1", of: "b")
        try await device.sync()
        var guardian = MirrorScene.note("guardian", "theirs")
        guardian["list"] = Reference(recordID: scene.id("b"), action: .deny)
        try await scene.remote.save(guardian)
        try await device.database.deleteRecord(withID: scene.id("b"))
        try await device.mirror.sendChanges()
        let change = try #require(try await device.mirror.pendingChanges().first)
        #expect(change.error?.code == .referenceViolation && change.record == nil)
        try await device.mirror.discard([change.recordID])
        #expect(try await device.text(of: "b") == "1")
        try await device.sync()
        #expect(device.mirror.status.isIdle)
    }

    @Test("A value that another client has made unique before is set aside, and the others are sent")
    func uniqueValue() async throws {
        let scene = try await MirrorScene()
        var schema = Schema()
        schema["Notes"] = .init(fields: ["text": .init(.string)], uniqueKeys: [["text"]])
        try await scene.remote.apply(schema)
        let device = try await scene.device()
        try await device.set("same", of: "a")
        try await device.set("other", of: "b")
        try await scene.remote.save(scene.note("theirs", "same"))
        try await device.sync()
        #expect(try await scene.text(of: "b") == "other")
        let changes = try await device.mirror.pendingChanges()
        #expect(changes.map(\.recordID.recordName) == ["a"])
        #expect(changes.first?.error?.code == .constraintViolation)
        try await device.set("new", of: "a")
        try await device.sync()
        #expect(try await scene.text(of: "a") == "new")
        #expect(device.mirror.status.isIdle)
    }
}

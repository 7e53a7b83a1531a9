import CabinetMirror
import CabinetTesting
import Foundation
import Testing

@testable import Cabinet

/// The effects of a deletion on other records by the delete rules of their references, here and on the server.
@Suite("Effects of deletions in a mirror")
struct DeletionEffectTests {
    /// A device with a list, two notes of it and a note below one of them, which the server has too.
    private struct ListScene {
        let scene: MirrorScene
        let device: TestDevice
        let store: MemoryBackend
        /// The names of the notes, each of which the list owns.
        let names = ["first", "second", "below"]

        init(_ kind: RemoteKind, configure: (inout MirrorConfiguration) -> Void = { _ in }) async throws {
            scene = try await MirrorScene(kind)
            store = MemoryBackend()
            device = try await scene.device(on: store, configure: configure)
            let list = scene.note("list", "0")
            let notes = [note("first", of: "list"), note("second", of: "list"), note("below", of: "first")]
            _ = try await device.database.modifyRecords(saving: [list, scene.note("other", "0")] + notes, deleting: [])
            try await device.sync()
        }

        func note(_ name: String, of owner: String, action: Reference.Action = .deleteSelf) -> Record {
            var note = scene.note(name, "0")
            note["list"] = Reference(recordID: scene.id(owner), action: action)
            return note
        }

        /// Moves a note on the server, as another client.
        func move(_ name: String, to owner: String) async throws {
            var note = try await scene.remote.record(for: scene.id(name))
            note["list"] = Reference(recordID: scene.id(owner), action: .deleteSelf)
            try await scene.remote.save(note)
        }

        /// Returns the names of the notes that a database has.
        func notes(in database: Database) async throws -> [String] {
            try await database.allRecords(matching: Query(recordType: "Notes"), inZoneWith: scene.home)
                .map(\.recordID.recordName).filter { !["list", "other"].contains($0) }.sorted()
        }

        func expect(_ names: [String], sourceLocation: SourceLocation = #_sourceLocation) async throws {
            #expect(try await notes(in: device.database) == names.sorted(), sourceLocation: sourceLocation)
            #expect(try await notes(in: scene.remote) == names.sorted(), sourceLocation: sourceLocation)
            #expect(try await device.mirror.readStatus().isIdle, sourceLocation: sourceLocation)
        }
    }

    /// The configuration of a conflict with a deletion, and whether a fetch finds it before a send.
    struct Conflict {
        let winner: MirrorConfiguration.DeletionConflict
        let isFetched: Bool
    }

    private static let conflicts = MirrorConfiguration.DeletionConflict.allCases.flatMap { winner in
        [false, true].map { Conflict(winner: winner, isFetched: $0) }
    }

    @Test("The server deletes what a deleted record owns, also if an answer is lost", arguments: RemoteKind.allCases)
    func cascade(on kind: RemoteKind) async throws {
        let list = try await ListScene(kind)
        try await list.device.database.deleteRecord(withID: list.scene.id("list"))
        #expect(try await list.device.mirror.readStatus().description == "4 changes to send")
        let below = try await list.device.mirror.pendingChange(of: list.scene.id("below"))
        #expect(below?.waitingFor == list.scene.id("list") && below?.error == nil)
        list.device.link.loseAnswers(1)
        await #expect(throws: CabinetError.self) { try await list.device.mirror.sendChanges() }
        let second = try await list.scene.device(on: list.store)
        try await second.mirror.sendChanges()
        #expect(try await second.mirror.readStatus().isIdle)
        try await second.sync()
        try await list.expect([])
    }

    @Test(
        "A record that others have moved to another owner stays, also if the mirror does not know it",
        arguments: RemoteKind.allCases,
        [false, true])
    func moved(on kind: RemoteKind, isFetched: Bool) async throws {
        let list = try await ListScene(kind) { $0.deletionConflict = .deletionWins }
        try await list.device.set("edited", of: "second")
        try await list.device.database.deleteRecord(withID: list.scene.id("list"))
        for name in ["first", "second"] { try await list.move(name, to: "other") }
        if isFetched { try await list.device.mirror.fetchChanges() }
        #expect(try await list.notes(in: list.device.database).isEmpty)
        try await list.device.sync()
        try await list.expect(["first", "second", "below"])
        #expect(try await list.scene.remote.text(of: "list", in: list.scene.home) == nil)
        #expect(try await list.scene.remote.text(of: "second", in: list.scene.home) == "edited")
    }

    @Test(
        "If the deleted record returns, so does what it owns, with edits", arguments: RemoteKind.allCases,
        [false, true])
    func conflict(on kind: RemoteKind, isFetched: Bool) async throws {
        let list = try await ListScene(kind)
        try await list.device.set("edited", of: "first")
        try await list.device.database.save(list.note("new", of: "list"))
        try await list.device.database.deleteRecord(withID: list.scene.id("list"))
        try await list.scene.remote.change(list.scene.id("list"), "text", "theirs")
        try await list.scene.remote.change(list.scene.id("first"), "title", "theirs")
        if isFetched { try await list.device.mirror.fetchChanges() } else { try await list.device.mirror.sendChanges() }
        #expect(try await list.notes(in: list.device.database) == ["below", "first", "new", "second"])
        try await list.device.sync()
        try await list.expect(["below", "first", "new", "second"])
        #expect(try await list.scene.remote.text(of: "list", in: list.scene.home) == "theirs")
        #expect(try await list.scene.remote.text(of: "first", in: list.scene.home) == "edited")
        #expect(try await list.device.text("title", of: "first") == "theirs")
    }

    @Test("A deletion that is set aside keeps what it owns until the program decides", arguments: [false, true])
    func refusal(isRetried: Bool) async throws {
        let list = try await ListScene(.cabinet)
        let id = list.scene.id("list")
        try await list.device.database.deleteRecord(withID: id)
        try await list.scene.remote.save(list.note("guardian", of: "list", action: .deny))
        try await list.device.mirror.sendChanges()
        #expect(try await list.notes(in: list.scene.remote) == ["below", "first", "guardian", "second"])
        #expect(list.device.mirror.status.description == "1 change set aside, 3 changes to send")
        #expect(try await list.device.mirror.pendingChange(of: id)?.error?.code == .referenceViolation)
        if isRetried {
            try await list.scene.remote.deleteRecord(withID: list.scene.id("guardian"))
            try await list.device.mirror.retry([id])
        } else {
            try await list.device.mirror.discard([id])
            #expect(try await list.notes(in: list.device.database) == list.names.sorted())
            #expect(list.device.mirror.status.isIdle)
        }
        try await list.device.sync()
        try await list.expect(isRetried ? [] : list.names + ["guardian"])
    }

    @Test(
        "A reference that a deletion clears returns with its target, and edits of the record are sent",
        arguments: [false, true])
    func nullified(isDropped: Bool) async throws {
        let list = try await ListScene(.cabinet)
        let id = list.scene.id("list")
        for name in ["a", "b", "c"] {
            try await list.device.database.save(list.note(name, of: "list", action: .nullify))
        }
        try await list.device.sync()
        try await list.device.set("before", of: "a")
        try await list.device.database.deleteRecord(withID: id)
        try await list.device.set("after", of: "b")
        for name in ["a", "b", "c"] {
            #expect(try await list.device.database.record(for: list.scene.id(name))["list"] == nil)
        }
        if isDropped { try await list.scene.remote.change(id, "text", "theirs") }
        try await list.device.sync()
        for (name, text) in [("a", "before"), ("b", "after"), ("c", "0")] {
            for database in [list.device.database, try list.scene.remote] {
                let note = try await database.record(for: list.scene.id(name))
                #expect(note["text"] as? String == text)
                #expect((note["list"] as? Reference)?.recordID == (isDropped ? id : nil))
            }
        }
        #expect(list.device.mirror.status.isIdle)
    }

    @Test(
        "A note that was moved to the deleted record alone is deleted, which the server would not know",
        arguments: RemoteKind.allCases)
    func unsentMove(on kind: RemoteKind) async throws {
        let list = try await ListScene(kind)
        try await list.device.database.save(list.note("new", of: "other"))
        try await list.device.sync()
        var note = try await list.device.database.record(for: list.scene.id("new"))
        note["list"] = Reference(recordID: list.scene.id("list"), action: .deleteSelf)
        try await list.device.database.save(note)
        try await list.device.database.deleteRecord(withID: list.scene.id("list"))
        try await list.device.sync()
        try await list.expect([])
    }

    @Test("A record that is created again after its deletion leaves no effect behind", arguments: RemoteKind.allCases)
    func createdAgain(on kind: RemoteKind) async throws {
        let list = try await ListScene(kind)
        try await list.device.database.deleteRecord(withID: list.scene.id("list"))
        try await list.device.database.save(list.scene.note("list", "again"))
        try await list.device.database.save(list.note("second", of: "list"))
        try await list.device.sync()
        try await list.expect(["second"])
        #expect(try await list.scene.remote.text(of: "list", in: list.scene.home) == "again")
    }

    @Test(
        "A record that is saved again after a cascade stays, and what the cascade has deleted below it does not return",
        arguments: RemoteKind.allCases, [false, true])
    func savedAgain(on kind: RemoteKind, isAnswerLost: Bool) async throws {
        let list = try await ListScene(kind)
        try await list.device.database.deleteRecord(withID: list.scene.id("list"))
        try await list.device.database.save(list.scene.note("first", "again"))
        if isAnswerLost {
            list.device.link.loseAnswers(1)
            await #expect(throws: CabinetError.self) { try await list.device.mirror.sendChanges() }
        }
        try await list.device.sync()
        try await list.expect(["first"])
        #expect(try await list.scene.text(of: "first") == "again")
    }

    @Test(
        "The same holds for one that is saved while the deletion is on its way, also if deletions win",
        arguments: RemoteKind.allCases, Self.conflicts)
    func savedAgainMeanwhile(on kind: RemoteKind, conflict: Conflict) async throws {
        let list = try await ListScene(kind) { $0.deletionConflict = conflict.winner }
        try await list.device.database.deleteRecord(withID: list.scene.id("list"))
        list.device.link.holdAnswers(to: ModifyRecordsRequest.name)
        async let send: Void = list.device.mirror.sendChanges()
        try await eventually("The answer is on its way.") { list.device.link.heldCount == 1 }
        for name in ["first", "list"] { try await list.device.database.save(list.scene.note(name, "again")) }
        // The server has deleted the version before.
        if conflict.isFetched { try await list.device.mirror.fetchChanges() }
        list.device.link.release()
        try await send
        try await list.device.sync()
        try await list.expect(["first"])
        for name in ["first", "list"] { #expect(try await list.scene.text(of: name) == "again") }
    }

    @Test(
        "The same holds if another client deletes the owner too, also if deletions win", arguments: RemoteKind.allCases,
        MirrorConfiguration.DeletionConflict.allCases)
    func savedAgainAfterBoth(on kind: RemoteKind, conflict: MirrorConfiguration.DeletionConflict) async throws {
        let list = try await ListScene(kind) { $0.deletionConflict = conflict }
        try await list.device.database.deleteRecord(withID: list.scene.id("list"))
        for name in ["first", "list"] { try await list.device.database.save(list.scene.note(name, "again")) }
        try await list.scene.remote.deleteRecord(withID: list.scene.id("list"))
        try await list.device.sync()
        try await list.expect(["first"])
        for name in ["first", "list"] { #expect(try await list.scene.text(of: name) == "again") }
    }

    @Test(
        "It is merged with an edit of another client, before the server deletes anything",
        arguments: RemoteKind.allCases, Self.conflicts)
    func savedAgainAndEdited(on kind: RemoteKind, conflict: Conflict) async throws {
        let list = try await ListScene(kind) { $0.deletionConflict = conflict.winner }
        try await list.device.database.deleteRecord(withID: list.scene.id("list"))
        try await list.device.database.save(list.scene.note("first", "again"))
        try await list.scene.remote.change(list.scene.id("first"), "title", "theirs")
        if !conflict.isFetched { try await list.device.mirror.sendChanges() }
        try await list.device.sync()
        try await list.expect(["first"])
        for database in [list.device.database, try list.scene.remote] {
            let first = try await database.record(for: list.scene.id("first"))
            #expect(first["text"] as? String == "again" && first["title"] as? String == "theirs")
            #expect(first["list"] == nil)
        }
    }

    @Test(
        "It stays if the server refuses the deletion, and the program then sends it again or discards it",
        arguments: [false, true])
    func savedAgainAndRefused(isRetried: Bool) async throws {
        let list = try await ListScene(.cabinet)
        let id = list.scene.id("list")
        try await list.device.database.deleteRecord(withID: id)
        try await list.device.database.save(list.scene.note("first", "again"))
        try await list.scene.remote.save(list.note("guardian", of: "list", action: .deny))
        try await list.device.mirror.sendChanges()
        #expect(list.device.mirror.status.description == "1 change set aside, 2 changes to send")
        #expect(try await list.notes(in: list.device.database) == ["first"])
        #expect(try await list.scene.text(of: "first") == "again")
        if isRetried {
            try await list.scene.remote.deleteRecord(withID: list.scene.id("guardian"))
            try await list.device.mirror.retry([id])
        } else {
            try await list.device.mirror.discard([id])
        }
        try await list.device.sync()
        try await list.expect(isRetried ? ["first"] : list.names + ["guardian"])
        #expect(try await list.scene.text(of: "first") == "again")
    }

    @Test(
        "Records that another client has changed below it return, before and after a fetch",
        arguments: RemoteKind.allCases, [false, true])
    func savedAgainAboveEdit(on kind: RemoteKind, isFetched: Bool) async throws {
        let list = try await ListScene(kind)
        try await list.device.database.deleteRecord(withID: list.scene.id("list"))
        try await list.device.database.save(list.scene.note("first", "again"))
        try await list.scene.remote.change(list.scene.id("below"), "text", "theirs")
        if isFetched { try await list.device.mirror.fetchChanges() }
        try await list.device.mirror.sendChanges()
        try await list.device.sync()
        try await list.expect(["below", "first"])
        #expect(try await list.device.text(of: "below") == "theirs")
        #expect(try await list.scene.text(of: "first") == "again")
    }

    @Test("A reference to it that the deletion has cleared stays cleared")
    func savedAgainAfterClearing() async throws {
        let list = try await ListScene(.cabinet)
        try await list.device.database.save(list.note("a", of: "first", action: .nullify))
        try await list.device.sync()
        try await list.device.database.deleteRecord(withID: list.scene.id("list"))
        try await list.device.database.save(list.scene.note("first", "again"))
        try await list.device.sync()
        try await list.expect(["a", "first"])
        for database in [list.device.database, try list.scene.remote] {
            #expect(try await database.record(for: list.scene.id("a"))["list"] == nil)
        }
    }

    @Test(
        "A record that is moved before its owner is deleted keeps what it owns, also after a conflict",
        arguments: RemoteKind.allCases)
    func movedHere(on kind: RemoteKind) async throws {
        let list = try await ListScene(kind)
        try await list.device.database.save(list.note("first", of: "other"), savePolicy: .allKeys)
        try await list.device.database.deleteRecord(withID: list.scene.id("list"))
        try await list.scene.remote.change(list.scene.id("first"), "title", "theirs")
        try await list.device.mirror.sendChanges()
        try await list.device.sync()
        try await list.expect(["below", "first"])
        #expect(try await list.device.text("title", of: "first") == "theirs")
    }

    @Test("Of two deletions in one batch, each decides about what it owns")
    func twoCauses() async throws {
        let list = try await ListScene(.cabinet)
        try await list.device.database.save(list.note("kept", of: "other"))
        try await list.device.sync()
        let ids = ["list", "other"].map(list.scene.id)
        _ = try await list.device.database.modifyRecords(saving: [], deleting: ids)
        try await list.scene.remote.change(ids[1], "text", "theirs")
        try await list.device.sync()
        try await list.expect(["kept"])
        #expect(try await list.device.text(of: "other") == "theirs")
    }

    @Test("The entry of a pending change without effects is that of earlier versions")
    func entries() throws {
        let id = RecordID(recordName: "a")
        var change = PendingChange(recordID: id, number: 7, ancestor: nil)
        #expect(try change.text == #"{"number":7}"#)
        change.effect = DeletionEffect(
            cause: RecordID(recordName: "b"), record: Record(recordType: "Notes", recordID: id))
        change.effect?.isCarriedOut = true
        (change.affected, change.creationNumber) = ([id], 7)
        change.effect?.target = id
        let read = try PendingChange(StorageEntry(key: PendingChange.key(id), text: change.text))
        #expect(read.effect?.cause == change.effect?.cause && read.effect?.record?.recordID == id)
        #expect(read.effect?.isCarriedOut == true && read.affected == [id])
        #expect(read.effect?.target == id && read.creationNumber == 7)
    }
}

import Cabinet
import CabinetTools
import Testing

@Suite("Verification of shares")
struct SharingIntegrityTests {
    @Test("A sample is clean")
    func clean() async throws {
        let store = try await SharedSampleStore()
        try await #expect(store.anna.verify().findings.map(\.description) == [])
    }

    /// Changes the share of a stored record, as damage would.
    private func damage(
        _ name: String, in store: SharedSampleStore, share: String?, action: Reference.Action = .none
    ) async throws {
        try await store.backend.write(SampleStore.anna) { transaction in
            guard let stored = try await transaction.records(for: [SharedSampleStore.id(name)], keys: nil)[0] else {
                return
            }
            var record = stored
            record.fields["_share"] = share.map {
                .reference(Reference(recordID: SharedSampleStore.id($0), action: action))
            }
            try await transaction.apply([.update(record, replacing: stored)])
        }
    }

    @Test("A record below the root without the share is found, and moving it repairs it")
    func uncovered() async throws {
        let store = try await SharedSampleStore()
        try await damage("stop", in: store, share: nil)
        try await #expect(SharedSampleStore.names(for: store.ben) == ["root"])
        let report = try await store.anna.verify(repairing: true)
        #expect(report.findings.map(\.kind) == [.share])
        #expect(report.findings.map(\.recordID) == [SharedSampleStore.id("stop")])

        var stop = try await store.anna.privateDatabase.record(for: SharedSampleStore.id("stop"))
        let parent = stop.parent
        stop.parent = nil
        stop = try await store.anna.privateDatabase.save(stop)
        stop.parent = parent
        try await store.anna.privateDatabase.save(stop)
        try await #expect(store.anna.verify().findings.map(\.description) == [])
        try await #expect(SharedSampleStore.names(for: store.ben) == ["root", "stop"])
    }

    @Test("A record outside of the hierarchy that a participant sees is found")
    func revealed() async throws {
        let store = try await SharedSampleStore()
        try await damage("other", in: store, share: "share")
        try await #expect(SharedSampleStore.names(for: store.ben) == ["other", "root", "stop"])
        let report = try await store.anna.verify()
        #expect(report.findings.map(\.kind) == [.share])
        #expect(report.findings.map(\.recordID) == [SharedSampleStore.id("other")])
    }

    @Test("A root without its mark, and a mark without its root are found")
    func marks() async throws {
        let store = try await SharedSampleStore()
        try await damage("root", in: store, share: nil)
        var found = Set(try await store.anna.verify().findings.map(\.recordID))
        #expect(found == [SharedSampleStore.shareID, SharedSampleStore.id("stop")])
        try await damage("root", in: store, share: "share", action: .nullify)
        try await damage("other", in: store, share: "share", action: .nullify)
        found = Set(try await store.anna.verify().findings.map(\.recordID))
        #expect(found == [SharedSampleStore.id("other")])
    }

    @Test(
        "A participant that is not found by name, and a user that is none, are repaired",
        arguments: [nil, "share/hierarchy/Trips/participant/_carl/share"])
    func participants(_ addition: String?) async throws {
        let store = try await SharedSampleStore()
        let entries = try await SampleStore.entries("share/hierarchy/Trips/participant/", of: store.backend)
        let entry = try #require(entries.first)
        #expect(entries.count == 1)
        try await store.backend.write(SampleStore.anna) { transaction in
            try await transaction.apply([
                addition.map { .setEntry(StorageKey($0), entry.text) } ?? .setEntry(entry.key, nil)
            ])
        }
        try await #expect(store.anna.verify().findings.map(\.kind) == [.share])
        try await #expect(store.anna.verify(repairing: true).isClean)
        try await #expect(SharedSampleStore.names(for: store.ben) == ["root", "stop"])
        let after = try await SampleStore.entries("share/hierarchy/Trips/participant/", of: store.backend)
        #expect(after == entries)
    }
}

import Cabinet
import CabinetTools
import Testing

@Suite("Copies of shares")
struct SharedCopyTests {
    @Test("A copy has the shares, their participants and URLs, and what a participant sees")
    func copies() async throws {
        let source = try await SharedSampleStore()
        let target = MemoryBackend()
        let copy = try SampleStore.container(over: target)
        try await source.anna.copy(to: copy)
        try await #expect(copy.verify().findings.map(\.description) == [])

        let ben = try SampleStore.container(over: target, user: "_ben")
        try await #expect(SharedSampleStore.names(for: ben) == ["root", "stop"])
        let share = try Share(try await copy.privateDatabase.record(for: SharedSampleStore.shareID))
        let original = try Share(try await source.anna.privateDatabase.record(for: SharedSampleStore.shareID))
        let url = try #require(original.url)
        #expect(share.url == url)
        try await #expect(ben.shareMetadata(for: url).share.recordID == SharedSampleStore.sharedID("share"))
    }

    @Test("A later copy has the participants and moves since")
    func changes() async throws {
        let source = try await SharedSampleStore()
        let target = MemoryBackend()
        let copy = try SampleStore.container(over: target)
        try await source.anna.copy(to: copy)

        var other = try await source.anna.privateDatabase.record(for: SharedSampleStore.id("other"))
        other.parent = Reference(recordID: SharedSampleStore.id("root"), action: .none)
        try await source.anna.privateDatabase.save(other)
        try await source.anna.copy(to: copy)
        var ben = try SampleStore.container(over: target, user: "_ben")
        try await #expect(SharedSampleStore.names(for: ben) == ["other", "root", "stop"])

        try await source.ben.sharedDatabase.deleteRecord(withID: SharedSampleStore.sharedID("share"))
        try await source.anna.copy(to: copy)
        ben = try SampleStore.container(over: target, user: "_ben")
        await #expect(throws: CabinetError(.zoneNotFound)) { try await SharedSampleStore.names(for: ben) }
        try await #expect(copy.verify().findings.map(\.description) == [])
    }

    @Test("A copy has the users of a server, also of a store that has nothing else")
    func users() async throws {
        let (source, target) = (MemoryBackend(), MemoryBackend())
        let user = StorageKey("account/user/ann")
        try await source.write(.public) { try await $0.apply([.setEntry(user, "{}")]) }
        try await SampleStore.container(over: source).copy(to: SampleStore.container(over: target))
        try await #expect(SampleStore.entries("account/", of: target, in: .public).map(\.key) == [user])
        // A store that has users is not an empty one.
        let other = try SampleStore.container(over: MemoryBackend())
        try await other.publicDatabase.save(Record(recordType: "Items"))
        await #expect(throws: CabinetError(.invalidArguments)) {
            try await other.copy(to: SampleStore.container(over: source))
        }
    }

    @Test("A page of entries that the source no longer has is removed from the copy")
    func entries() async throws {
        let source = try await SharedSampleStore()
        let target = MemoryBackend()
        func texts(_ backend: MemoryBackend) async throws -> [String] {
            try await SampleStore.entries("share/", of: backend).map { "\($0.key.text) \($0.text)" }
        }
        let many = (0..<900).map { StorageMutation.setEntry(StorageKey("share/zone/_x/\($0)"), "\($0)") }
        try await source.backend.write(SampleStore.anna) { try await $0.apply(many) }
        let copy = try SampleStore.container(over: target)
        try await source.anna.copy(to: copy)
        try await #expect(texts(target) == texts(source.backend))
        try await source.backend.write(SampleStore.anna) { transaction in
            try await transaction.apply((0..<600).map { .setEntry(StorageKey("share/zone/_x/\($0)"), nil) })
        }
        try await source.anna.copy(to: copy)
        try await #expect(texts(target) == texts(source.backend))
    }
}

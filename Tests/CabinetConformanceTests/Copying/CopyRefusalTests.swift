import Cabinet
import CabinetTools
import Foundation
import Testing

@testable import CabinetConformance

/// Stores are never mixed, and an unrelated store is never taken for a copy.
@Suite("Refused copies")
struct CopyRefusalTests {
    private let key = DatabaseKey.private(owner: "_anna")

    private func refused(
        _ source: any StorageBackend, _ target: any StorageBackend, _ reason: String,
        _ code: CabinetError.Code = .invalidArguments
    ) async throws {
        let before = try await StoreDump.all(target)
        let error = await #expect(throws: CabinetError.self) {
            try await CopySamples.container(source).copy(to: CopySamples.container(target))
        }
        #expect(error?.code == code)
        #expect(error?.message.contains(reason) == true, "\(error?.message ?? "")")
        #expect(try await StoreDump.all(target) == before)
    }

    @Test("A target with something else is refused")
    func otherContent() async throws {
        let source = MemoryBackend()
        try await CopySamples.fill(source)
        let used = MemoryBackend()
        try await CopySamples.container(used, user: "_ben").privateDatabase.save(Record("Items", "mine"))
        try await refused(source, used, "the private database of _ben cannot be copied")
        let other = MemoryBackend()
        try await CopySamples.container(other, user: "_carl").privateDatabase.save(Record("Items", "mine"))
        try await refused(source, other, "the source has no such database")
        let subscribed = MemoryBackend()
        try await CopySamples.container(subscribed).publicDatabase.save(DatabaseSubscription(subscriptionID: "s"))
        try await refused(source, subscribed, "1 subscription")
        try await refused(source, source, "the source itself")
    }

    @Test("A target with the source's schema is taken, and one with another is refused")
    func schemas() async throws {
        let source = MemoryBackend()
        try await CopySamples.fill(source)
        let (same, other, more) = (MemoryBackend(), MemoryBackend(), MemoryBackend())
        try await CopySamples.container(same).apply(Self.schema("Items", Schema.Field(.int64)))
        try await CopySamples.container(source).copy(to: CopySamples.container(same))
        #expect(try await StoreDump.all(same) == StoreDump.all(source))
        try await CopySamples.container(other).apply(Self.schema("Items", Schema.Field(.string)))
        try await refused(source, other, "its field 'number' of 'Items' is STRING, and in the source it is INT64")
        try await CopySamples.container(more).apply(Self.schema("Others", Schema.Field(.string)))
        try await refused(source, more, "the record type 'Others'")
    }

    private static func schema(_ recordType: String, _ number: Schema.Field) -> Schema {
        Schema(recordTypes: [recordType: Schema.RecordType(fields: ["number": number])])
    }

    @Test("A target that was written to since is refused")
    func usedCopy() async throws {
        let (source, target) = (MemoryBackend(), MemoryBackend())
        try await CopySamples.fill(source)
        try await CopySamples.container(source).copy(to: CopySamples.container(target))
        try await CopySamples.container(target).privateDatabase.save(Record("Items", "new"))
        try await refused(source, target, "it was written to after it was copied")
    }

    @Test("A copy of another source is refused", arguments: [false, true])
    func otherSource(isComplete: Bool) async throws {
        let (source, other, target) = (MemoryBackend(), MemoryBackend(), MemoryBackend())
        // The same names and numbers, other values.
        for (backend, value) in [(source, 1), (other, 2)] {
            let database = try CopySamples.container(backend).privateDatabase
            try await database.saveAll((0..<3).map { Record("Items", "r\($0)", ["number": value]) })
        }
        let copy = DatabaseCopy(of: key, from: source, to: target)
        if isComplete { try await copy.finish() } else { try await copy.catchUp() }
        try await refused(other, target, "the record 'r0' differs")
        // An older state of the source, and one in which everything has changed since.
        let early = MemoryBackend()
        try await CopySamples.container(early).privateDatabase.save(Record("Items", "r0", ["number": 1]))
        try await refused(early, target, "a later state")
        let late = MemoryBackend()
        let database = try CopySamples.container(late).privateDatabase
        try await database.saveAll((0..<4).map { Record("Others", "o\($0)") })
        try await database.deleteAll((0..<4).map { "o\($0)" })
        try await database.saveAll((0..<4).map { Record("Items", "x\($0)", ["number": 1]) })
        try await refused(late, target, "differs")
        // A source that has lost all copied records is still the same.
        try await CopySamples.container(source).privateDatabase.deleteAll(["r0", "r1", "r2"])
        let report = try await copy.finish()
        #expect(report.content.recordCount == 0)
    }

    @Test("A copy that is not complete cannot be a source")
    func incompleteSource() async throws {
        let (source, middle, target) = (MemoryBackend(), MemoryBackend(), MemoryBackend())
        try await CopySamples.fill(source)
        try await DatabaseCopy(of: key, from: source, to: middle).catchUp()
        try await refused(middle, target, "incomplete copy")
    }

    @Test("Two copies into one target do not mix")
    func twoAtOnce() async throws {
        let (source, target) = (MemoryBackend(), MemoryBackend())
        let database = try CopySamples.container(source).privateDatabase
        try await database.saveAll(
            (0..<5000).map { (number: Int) in Record("Items", "r\(number)", ["number": number]) })
        let copy = DatabaseCopy(of: key, from: source, to: target)
        async let first = copy.finish()
        async let second = copy.finish()
        var failures = 0
        do { _ = try await first } catch { failures += 1 }
        do { _ = try await second } catch { failures += 1 }
        #expect(failures < 2)
        try await copy.finish()
        #expect(try await StoreDump(target, key) == StoreDump(source, key))
    }

    /// A target that does not store its input, and the expected message about the difference.
    struct BadTarget: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let record: String?
        let fault: Fault

        init(_ name: String, _ record: String? = nil, _ breaks: (inout Fault) -> Void) {
            testDescription = name
            self.record = record
            var fault = Fault()
            breaks(&fault)
            self.fault = fault
        }
    }

    private static func tampering(
        _ name: String, _ body: @escaping @Sendable (inout StoredRecord) -> Void
    )
        -> @Sendable (inout StoredRecord) -> Void
    {
        { record in if record.recordID == .named(name) { body(&record) } }
    }

    static let badTargets = [
        BadTarget("loses a record", "anna-4") {
            $0.ignoreMutations { mutation in
                guard case .insert(let record) = mutation else { return false }
                return record.recordID == .named("anna-4")
            }
        },
        BadTarget("changes a field", "anna-5") {
            $0.mapInserted(tampering("anna-5") { $0.fields["number"] = .int64(4711) })
        },
        BadTarget("loses a field", "anna-7") { $0.mapInserted(tampering("anna-7") { $0.fields["words"] = nil }) },
        BadTarget("changes a date", "anna-3") {
            $0.mapInserted(tampering("anna-3") { $0.modificationDate += 0.000_001 })
        },
        BadTarget("changes a user", "anna-3") { $0.mapInserted(tampering("anna-3") { $0.creatorName = "_ben" }) },
        BadTarget("loses a parent", "anna-14") { $0.mapInserted(tampering("anna-14") { $0.parentName = nil }) },
        BadTarget("changes an asset's bytes") { $0.uploaded = { Data($0.map { $0 ^ 1 }) } },
        BadTarget("loses assets") {
            $0.ignoreMutations { if case .addAsset = $0 { true } else { false } }
        },
        BadTarget("loses subscriptions") { $0.ignoreEntries("subscriptionBy") },
        BadTarget("forgets the creator of a zone") {
            $0.mapZones { if $0.name != RecordZone.ID.default.zoneName { $0.creator = "_ben" } }
        },
        BadTarget("loses indexes") { $0.indexes = { _, _ in [] } },
    ]

    @Test("Differences at the end are found", arguments: badTargets)
    func findsDifference(in bad: BadTarget) async throws {
        let source = MemoryBackend()
        try await CopySamples.fill(source)
        let target = MutantBackend(bad.fault)
        let copy = DatabaseCopy(of: key, from: source, to: target)
        let error = await #expect(throws: CabinetError.self) { try await copy.finish() }
        #expect(error?.code == .internalError)
        #expect(error?.message.contains("not equal") == true, "\(error?.message ?? "")")
        if let record = bad.record { #expect(error?.recordID == .named(record)) }
        // The copy is not marked as complete.
        await #expect(throws: CabinetError.self) {
            let database = try CopySamples.container(target).privateDatabase
            _ = try await database.recordZoneChanges(inZoneWith: .default, since: nil)
        }
    }

    @Test("Lost or damaged bytes of the source are reported, with the record")
    func lostBytes() async throws {
        let base = MemoryBackend()
        try await CopySamples.fill(base)
        let target = MemoryBackend()
        let changes: [(text: String, change: @Sendable (Data) -> Data?)] = [
            ("lost", { _ in nil }), ("damaged", { Data($0.map { $0 ^ 1 }) }),
        ]
        for (text, change) in changes {
            var fault = Fault()
            fault.assetBytes = { bytes, _ in bytes.flatMap { $0.isEmpty ? $0 : change($0) } }
            let copy = DatabaseCopy(of: key, from: MutantBackend(fault, base: base), to: target)
            let error = await #expect(throws: CabinetError.self) { try await copy.finish() }
            #expect(error?.code == .assetNotAvailable)
            #expect(error?.recordID == .named("anna-3"))
            #expect(error?.fieldKey == "file")
            #expect(error?.message.contains(text) == true)
        }
        // Once the bytes exist again, the copy continues.
        try await DatabaseCopy(of: key, from: base, to: target).finish()
        #expect(try await StoreDump(target, key) == StoreDump(base, key))
    }
}

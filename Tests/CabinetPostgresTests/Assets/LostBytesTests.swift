import Cabinet
import CabinetTools
import Foundation
import Testing

@testable import CabinetPostgres

/// Bytes that were removed or changed by hand.
@Suite("Lost bytes of assets", .timeLimit(.minutes(15)))
struct LostBytesTests {
    private static let size = 2_500_000

    /// A store with a large asset and a small one, and the damage to the large one.
    private func store(after damage: String) async throws -> AssetStore {
        let store = try await AssetStore()
        try await store.database.save(store.note("large", Asset(data: AssetStore.bytes(Self.size))))
        try await store.database.save(store.note("small", Asset(data: AssetStore.bytes(5))))
        try await store.sql(damage)
        return store
    }

    @Test(
        "Lost bytes are reported by reads and by verification, and everything else can be read",
        arguments: [
            "DELETE FROM TABLE_asset_part WHERE start = 0 AND length(bytes) > 5",
            "DELETE FROM TABLE_asset_part WHERE start = 1048576",
            "DELETE FROM TABLE_asset_part WHERE start > 1048576",
            "UPDATE TABLE_asset_part SET bytes = substring(bytes FROM 1 FOR 1000) WHERE start = 1048576",
        ])
    func lost(damage: String) async throws {
        let store = try await store(after: damage)
        let checksum = Asset.Checksum(of: AssetStore.bytes(Self.size))
        let all = try await store.backend.read(.public) {
            try await $0.abilities.assets?.bytes(of: checksum, in: 0..<Int64(Self.size))
        }
        #expect(all == nil)
        let error = await #expect(throws: CabinetError.self) { try await store.image(of: "large") }
        #expect(error?.code == .assetNotAvailable)
        #expect(error?.localizedDescription.contains("container.verify()") == true, "\(error as Any)")
        #expect(try await store.image(of: "small") == AssetStore.bytes(5))

        for isRepairing in [false, true] {
            let report = try await store.container.verify(repairing: isRepairing)
            #expect(report.findings.map(\.kind) == [.assetDamaged], "\(report)")
            #expect(report.findings.first?.recordID?.recordName == "large")
            #expect(report.findings.first?.fieldKey == "image")
            #expect(report.findings.first?.isRepairable == false)
        }
        await store.close()
    }

    @Test("Changed bytes are reported by verification")
    func changed() async throws {
        let store = try await store(
            after:
                "UPDATE TABLE_asset_part SET bytes = set_byte(bytes, 7, 255 - get_byte(bytes, 7)) WHERE start = 1048576"
        )
        let report = try await store.container.verify()
        #expect(report.findings.map(\.kind) == [.assetDamaged], "\(report)")
        #expect(try await store.image(of: "small") == AssetStore.bytes(5))
        await store.close()
    }

    @Test("An asset that is no longer listed is missing; one that no record has is removed")
    func rows() async throws {
        let store = try await store(after: "DELETE FROM TABLE_asset WHERE size = 5")
        let report = try await store.container.verify()
        #expect(report.findings.map(\.kind) == [.assetMissing], "\(report)")
        #expect(report.findings.first?.recordID?.recordName == "small")
        #expect(try await store.image(of: "large") == AssetStore.bytes(Self.size))
        await store.close()
    }

    @Test("Saving the original again brings the bytes back")
    func again() async throws {
        let store = try await store(after: "DELETE FROM TABLE_asset_part WHERE length(bytes) = 5")
        await #expect(throws: CabinetError.self) { try await store.image(of: "small") }
        try await store.database.save(store.note("copy", Asset(data: AssetStore.bytes(5))))
        for name in ["small", "copy"] { #expect(try await store.image(of: name) == AssetStore.bytes(5)) }
        #expect(try await store.container.verify().findings == [])
        await store.close()
    }
}

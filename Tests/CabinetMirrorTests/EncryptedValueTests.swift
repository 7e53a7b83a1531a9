import Cabinet
import CabinetMirror
import CabinetTesting
import Foundation
import Testing

/// Encrypted values, whose keys a mirror does not store.
@Suite("Encrypted values and a mirror")
struct EncryptedValueTests {
    private static let place = "in the container that it mirrors"

    private func error(_ body: () async throws -> Void) async -> CabinetError? {
        do {
            try await body()
            return nil
        } catch {
            return error as? CabinetError
        }
    }

    @Test("A container with a key store is not mirrored")
    func encryptingRemote() async throws {
        let scene = try await MirrorScene()
        let remote = try scene.container(of: "_ann").encrypting(with: TestEncryption().encryption)
        #expect { try MirrorDatabaseService(mirroring: remote, in: MemoryBackend()) } throws: {
            ($0 as? CabinetError)?.code == .invalidArguments
        }
    }

    @Test("A mirror says where encrypted values are read and saved")
    func refusals() async throws {
        let scene = try await MirrorScene()
        let keys = TestEncryption()
        var secret = scene.note("secret", "1")
        secret.encryptedValues["place"] = "under the mat"
        try await scene.container(of: "_ann").encrypting(with: keys.encryption).privateDatabase.save(secret)
        let device = try await scene.device()
        try await device.sync()
        // The values that are not encrypted can be read and changed.
        try await device.set("2", of: "secret")
        try await device.sync()
        #expect(device.mirror.status.isIdle)
        let encrypting = device.container.encrypting(with: keys.encryption).privateDatabase
        let id = secret.recordID
        #expect(await error { _ = try await encrypting.record(for: id) }?.message.contains(Self.place) == true)
        let new = scene.note("new", "1")
        for database in [device.database, encrypting] {
            var new = new
            new.encryptedValues["place"] = "in the shed"
            let record = new
            #expect(await error { try await database.save(record) }?.message.contains(Self.place) == true)
        }
        let found = try await scene.container(of: "_ann").encrypting(with: keys.encryption).privateDatabase
            .record(for: id)
        #expect(found.encryptedValues["place"] == "under the mat")
        #expect(found["text"] == "2")
    }
}

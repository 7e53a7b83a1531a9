import Cabinet
import CabinetMirror
import Testing

@Suite("Migrations and a mirror")
struct MirrorMigrationTests {
    private static let migration = Migration(
        "exclaim", .forEachRecord(of: "Notes") { $0["text"] = ($0["text"] as? String ?? "") + "!" })

    /// Each device would change the records once more, also those that another device has changed.
    @Test("A mirror does not migrate, and gets what its server has migrated")
    func server() async throws {
        let scene = try await MirrorScene(.cabinet)
        let devices = [try await scene.device(), try await scene.device()]
        try await devices[0].set("text", of: "a")
        for device in devices {
            try await device.sync()
            await #expect(throws: CabinetError(.badDatabase)) {
                try await device.database.migrate([Self.migration])
            }
        }
        try await scene.remote.migrate([Self.migration])
        for device in devices {
            try await device.database.migrate([Self.migration])
            try await device.sync()
            #expect(try await device.text(of: "a") == "text!")
        }
    }
}

import Cabinet
import CabinetMirror
import CabinetTesting
import Foundation
import Testing

/// The requests of a program that reach the local copies alone, because the network is away.
@Suite("A mirror without a network")
struct OfflineTests {
    @Test("saves assets without a request to the server, which ends the uploads that it has begun")
    func uploads() async throws {
        let scene = try await MirrorScene()
        let device = try await scene.device()
        device.link.isCutOff = true
        var note = scene.note("a", "1")
        note["file"] = Asset(data: Data([1, 2, 3]))
        try await device.database.save(note)
        #expect(device.link.names == [])

        device.link.isCutOff = false
        try await device.container.publicDatabase.save(note)
        for name in [BeginUploadRequest.name, EndUploadsRequest.name] {
            #expect(device.link.names.count { $0 == name } == 1)
        }
    }

    @Test("applies a schema to the copy, and throws until the server has it")
    func schema() async throws {
        let scene = try await MirrorScene()
        let device = try await scene.device()
        device.link.isCutOff = true
        var schema = Schema()
        schema["Notes"] = .init(fields: ["text": .init(.string)], uniqueKeys: [["text"]])
        for _ in 0..<2 {
            await #expect(throws: CabinetError(.networkUnavailable)) { try await device.container.apply(schema) }
        }
        try await device.set("same", of: "a")
        await #expect(throws: CabinetError(.constraintViolation)) { try await device.set("same", of: "b") }

        device.link.isCutOff = false
        try await device.container.apply(schema)
        #expect(try await scene.remote.schema()["Notes"].uniqueKeys == [["text"]])
        try await device.sync()
        #expect(try await scene.text(of: "a") == "same")
    }

    @Test("returns the notifications of the copy, and keeps the position in those of the server")
    func notifications() async throws {
        let scene = try await MirrorScene()
        let device = try await scene.device()
        try await device.database.save(.database(DatabaseSubscription(subscriptionID: "private")))
        try await device.container.publicDatabase.save(
            .query(
                QuerySubscription(
                    recordType: "Notes", filter: .constant(true), subscriptionID: "public",
                    options: .firesOnRecordCreation)))
        try await scene.remote.save(scene.note("a", "1"))
        try await scene.container(of: "_editor").publicDatabase.save(MirrorScene.note("b", "1"))
        try await device.sync()

        device.link.isCutOff = true
        let first = try await device.container.fetchNotifications(since: nil)
        #expect(first.notifications.map(\.subscriptionID) == ["private"] && first.moreComing)
        await #expect(throws: CabinetError(.networkUnavailable)) {
            _ = try await device.container.fetchNotifications(since: first.token)
        }
        device.link.isCutOff = false
        let second = try await device.container.fetchNotifications(since: first.token)
        #expect(second.notifications.map(\.subscriptionID) == ["public"] && !second.moreComing)
    }
}

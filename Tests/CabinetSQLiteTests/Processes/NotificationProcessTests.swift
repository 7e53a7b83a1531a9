import Cabinet
import CabinetSQLite
import Foundation
import StorageTestSupport
import Testing

/// One process receives notifications of another's changes.
@Suite struct NotificationProcessTests {
    private let directory = FileManager.default.temporaryDirectory
        .appendingPathComponent("cabinet-\(UUID().uuidString)", isDirectory: true)

    private func container() throws -> Container {
        let configuration = SQLiteConfiguration(pollingInterval: .milliseconds(20))
        return try Container(
            identifier: "org.cabinet.saving-process",
            backend: SQLiteBackend(directory: directory, configuration: configuration))
    }

    private func names(_ notifications: [SubscriptionNotification]) -> [String] {
        notifications.compactMap { notification in
            if case .query(let event) = notification.event { event.recordID.recordName } else { nil }
        }
    }

    @Test(.timeLimit(.minutes(15))) func anotherProcessSignals() async throws {
        defer { try? FileManager.default.removeItem(at: directory) }
        let container = try container()
        try await container.privateDatabase.save(
            QuerySubscription(recordType: "Items", subscriptionID: "a", options: .firesOnRecordCreation))
        var notifications = container.notifications().makeAsyncIterator()
        let process = try SavingProcess([directory.path, "a", "50"])
        var heard: [SubscriptionNotification] = []
        while heard.count < 50, let next = try await notifications.next() { heard.append(next) }
        #expect(names(heard) == (0..<50).map { "a-\($0)" })
        #expect(process.finish().status == 0)
        await container.close()
    }

    /// The writer is killed while it saves, and the listener is reopened: each existing record was reported, once.
    @Test(.timeLimit(.minutes(15)), arguments: ["single", "batches"])
    func aKillLosesNothing(mode: String) async throws {
        defer { try? FileManager.default.removeItem(at: directory) }
        let before = try container()
        try await before.privateDatabase.save(
            QuerySubscription(recordType: "Items", subscriptionID: "a", options: .firesOnRecordCreation))
        let process = try SavingProcess([directory.path, "a", "forever", mode])
        var heard: [SubscriptionNotification] = []
        for try await notification in before.notifications() {
            heard.append(notification)
            if heard.count == 15 { break }
        }
        process.kill()
        _ = process.finish()
        await before.close()

        let after = try container()
        heard += try await after.fetchNotifications(since: heard.last?.token).notifications
        let there = try await after.privateDatabase.allRecords(matching: Query(recordType: "Items"))
        let receivedNames = names(heard)
        #expect(Set(receivedNames).count == receivedNames.count)
        // Each batch deletes the first record of the previous one. That deletion was reported too.
        if mode == "single" { #expect(receivedNames.count == there.count) }
        #expect(Set(there.map(\.recordID.recordName)).isSubset(of: receivedNames))
        await after.close()
    }
}

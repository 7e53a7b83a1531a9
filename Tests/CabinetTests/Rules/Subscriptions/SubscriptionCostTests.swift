import Foundation
import Testing

@testable import Cabinet

/// Subscriptions that were stored before their filters were limited.
@Suite struct SubscriptionCostTests {
    @Test("A stored filter that takes too much work is reported, and costs a save no more than its allowance")
    func storedExpressions() async throws {
        let backend = MemoryBackend()
        func container(_ user: String) throws -> Container {
            try Container(
                identifier: "com.example.test", backend: backend, account: Account(userRecordName: user))
        }
        let expressions = Array(repeating: "text MATCHES '(a|aa)*b'", count: 50)
        let filter = try Filter(expressions.joined(separator: " OR "))
        let error = await #expect(throws: CabinetError.self) {
            try await container("_anna").publicDatabase.save(
                QuerySubscription(recordType: "Items", filter: filter, options: .firesOnRecordCreation))
        }
        #expect(error?.code == .invalidArguments)
        try await backend.write(.public) { transaction in
            var changes = SubscriptionMutations()
            for id in ["a", "b"] {
                let subscription = QuerySubscription(
                    recordType: "Items", filter: filter, subscriptionID: id, options: .firesOnRecordCreation)
                try changes.add(StoredSubscription(userName: "_anna", subscription: .query(subscription)))
            }
            try await transaction.apply(try await changes.mutations(in: transaction))
        }
        var record = Record(recordType: "Items", recordID: RecordID(recordName: "r"))
        record["text"] = String(repeating: "a", count: 60)
        let other = try container("_ben")
        record = try await other.publicDatabase.save(record)
        #expect(record.recordChangeTag != nil)
        let notifications = try await container("_anna").fetchNotifications(since: nil).notifications
        #expect(notifications.map(\.subscriptionID) == ["a", "b"])
        for notification in notifications {
            guard case .failure(let failure) = notification.event else {
                Issue.record("\(notification) is not a failure")
                continue
            }
            #expect(failure.code == .limitExceeded)
            #expect(failure.recordID == record.recordID)
        }
    }

    @Test("The allowance grows with the records, not with the subscriptions")
    func allowance() {
        let changes = RecordChanges(BatchPlan())
        #expect(SubscriptionCost.allowance(saving: changes) == 100_000)
    }

    @Test("A failure is coded and decoded")
    func coding() throws {
        let event = SubscriptionNotification.Event.failure(
            .init(recordID: RecordID(recordName: "r"), code: .limitExceeded, message: "Too much."))
        #expect(
            try JSONDecoder().decode(SubscriptionNotification.Event.self, from: JSONEncoder().encode(event)) == event)
    }
}

import Cabinet
import CabinetTesting
import Foundation

extension ConformanceRule {
    /// Delivery of notifications.
    static let notifications: [ConformanceRule] = [
        ConformanceRule(
            .subscriptions, "notifications arrive while a task waits for them",
            law: "A waiting task receives pending notifications first, and then each change, in either database.",
            source: .cabinet("subscriptions")
        ) { world in
            let container = try world.container()
            let writer = try world.container()
            for database in [container.privateDatabase, container.publicDatabase] {
                try await database.save(
                    QuerySubscription(recordType: "Items", subscriptionID: "a", options: .firesOnRecordCreation))
            }
            try await writer.privateDatabase.save(Record("Items", "before"))
            var notifications = container.notifications().makeAsyncIterator()
            func next() async throws -> String {
                let notification = try require(try await notifications.next(), "The next notification")
                return "\(notification.databaseScope): \(notification.text)"
            }
            try expect("The pending notifications", try await next(), equals: "private: a created before entered")
            let writing = Task {
                try await writer.privateDatabase.save(Record("Items", "p"))
                try await writer.publicDatabase.save(Record("Items", "q"))
            }
            try expect(
                "What comes", Set([try await next(), try await next()]),
                equals: ["private: a created p entered", "public: a created q entered"])
            _ = try await writing.value
            try await writer.publicDatabase.save(Record("Items", "r"))
            try expect("The last notification", try await next(), equals: "public: a created r entered")
        },
        ConformanceRule(
            .subscriptions, "a device's own changes are not reported",
            law: "The device that made a change, by its device ID, is notified only if it asks for its own changes.",
            source: .cloudKit("CKSubscription.h")
        ) { world in
            let phone = try world.container(deviceID: "phone")
            try await phone.privateDatabase.save(
                QuerySubscription(recordType: "Items", subscriptionID: "a", options: .firesOnRecordCreation))
            try await phone.privateDatabase.save(DatabaseSubscription(subscriptionID: "b"))
            var own = try await Listener(world, phone)
            var again = try await Listener(world, world.container(deviceID: "phone"))
            var other = try await Listener(world, world.container(deviceID: "laptop"))
            var everything = try await Listener(world, phone, includesOwnChanges: true)
            try await phone.privateDatabase.save(Record("Items", "r"))
            let all = ["a created r entered", "b database private"]
            try expect("The phone", try await own.notifications(), equals: [])
            try expect("The phone after a restart", try await again.notifications(), equals: [])
            try expect("The phone that asks for its own changes", try await everything.notifications(), equals: all)
            try expect("The laptop", try await other.notifications(), equals: all)
            // A device's own change does not hide another device's pending change.
            try await world.container().privateDatabase.save(Record("Lists", "l"))
            try await phone.privateDatabase.save(Record("Lists", "m"))
            try expect("The laptop's part", try await own.notifications(), equals: ["b database private"])
        },
        ConformanceRule(
            .subscriptions, "a notification is for its subscriber",
            law:
                "In the public database each user is notified of every user's changes, by the user's own subscriptions.",
            source: .cabinet("subscriptions")
        ) { world in
            let anna = try world.container()
            let ben = try world.container(account: Account(userRecordName: "_ben"))
            try await anna.publicDatabase.save(
                QuerySubscription(recordType: "Items", subscriptionID: "a", options: .firesOnRecordCreation))
            try await ben.publicDatabase.save(
                QuerySubscription(
                    recordType: "Items", filter: try Filter("x == 1"), subscriptionID: "a",
                    options: .firesOnRecordCreation))
            var annas = try await Listener(world, anna)
            var bens = try await Listener(world, ben)
            try await ben.publicDatabase.save(Record("Items", "r"))
            try expect("Anna", try await annas.notifications(), equals: ["a created r entered"])
            try expect("Ben", try await bens.notifications(), equals: [])
            try await anna.publicDatabase.save(Record("Items", "s", ["x": 1]))
            try expect("Ben", try await bens.notifications(), equals: ["a created s entered"])
            try await anna.privateDatabase.save(Record("Items", "t", ["x": 1]))
            try expect("No user", try await annas.notifications() + bens.notifications(), equals: [])
        },
        ConformanceRule(
            .subscriptions, "a notification's token continues after it",
            law:
                "Each notification after a token arrives once, in order, on any device of the user, in any number.",
            source: .cabinet("subscriptions")
        ) { world in
            let database = try world.privateDatabase()
            let container = try world.container()
            for database in [database, container.publicDatabase] {
                try await database.save(
                    QuerySubscription(recordType: "Items", subscriptionID: "a", options: .firesOnRecordCreation))
            }
            let names = (0..<450).map { "r\(1000 + $0)" }
            for part in names.prefix(440).parts(of: 88) {
                try await database.saveAll(part.map { Record("Items", $0) })
            }
            for name in names.dropFirst(440) { try await database.save(Record("Items", name)) }
            try await world.container().publicDatabase.save(Record("Items", "public"))
            var token: NotificationToken?
            var found: [String] = []
            var moreComing = true
            while moreComing, found.count < 1_000 {
                let page = try await world.container().fetchNotifications(since: token, resultsLimit: 37)
                try expect(page.notifications.count <= 37, "The page is larger than requested.")
                found += page.notifications.map(\.text)
                let json = try JSONEncoder().encode(page.notifications.last?.token ?? page.token)
                token = try JSONDecoder().decode(NotificationToken.self, from: json)
                moreComing = page.moreComing
            }
            try expect("The notifications", found, equals: (names + ["public"]).map { "a created \($0) entered" })
            let rest = try await world.container().fetchNotifications(since: token).notifications.count
            try expect("The rest", rest, equals: 0)
        },
        ConformanceRule(
            .subscriptions, "an invalid token is refused",
            law:
                "A token of another user or container is invalidArguments; one from before the oldest remembered change has expired.",
            source: .cabinet("subscriptions")
        ) { world in
            let retention = ChangeRetention(age: 100, count: 3)
            let container = try world.container(changeRetention: retention)
            let database = container.privateDatabase
            try await database.save(
                QuerySubscription(recordType: "Items", subscriptionID: "a", options: .firesOnRecordCreation))
            let listener = try world.container()
            let old = try await listener.fetchNotifications(since: nil).token
            let ben = try world.container(account: Account(userRecordName: "_ben"))
            try await expectError(.invalidArguments) { try await ben.fetchNotifications(since: old) }
            let foreign = try world.container(identifier: "com.example.other")
            try await expectError(.invalidArguments) { try await foreign.fetchNotifications(since: old) }
            try await expectError(.invalidArguments) {
                try await listener.fetchNotifications(since: old, resultsLimit: 0)
            }
            for number in 0..<5 { try await database.save(Record("Items", "r\(number)")) }
            let remembered = try await listener.fetchNotifications(since: nil)
            try expect(
                "The remembered notifications", remembered.notifications.map(\.text),
                equals: (2..<5).map { "a created r\($0) entered" })
            try await expectError(.changeTokenExpired) { try await listener.fetchNotifications(since: old) }
            world.clock.advance(by: 200)
            try await database.save(Record("Items", "late"))
            try expect(
                "The recent notifications", try await listener.fetchNotifications(since: nil).notifications.map(\.text),
                equals: ["a created late entered"])
            try expect(
                "The known notifications",
                try await listener.fetchNotifications(since: remembered.token).notifications.count,
                equals: 1)
        },
        ConformanceRule(
            .subscriptions, "subscriptions and notifications survive closing the store",
            law: "Subscriptions and notifications survive closing the store, and a token from before continues.",
            source: .cabinet("subscriptions"), needsReopening: true
        ) { world in
            let database = try world.privateDatabase()
            try await database.save(
                QuerySubscription(
                    recordType: "Items", filter: try Filter("x > 0"), subscriptionID: "a",
                    options: .firesOnRecordCreation))
            let listener = try world.container()
            try await database.save(Record("Items", "r", ["x": 1]))
            let token = try await listener.fetchNotifications(since: nil).token
            try await database.save(Record("Items", "s", ["x": 1]))
            try await world.reopened { world in
                try await world.privateDatabase().save(Record("Items", "t", ["x": 1]))
                let notifications = try await world.container().fetchNotifications(since: token).notifications.map(
                    \.text)
                try expect("The notifications", notifications, equals: ["a created s entered", "a created t entered"])
            }
        },
        ConformanceRule(
            .subscriptions, "waiting for notifications ends with the task, and with the store",
            law: "The sequence ends when its task is cancelled, and when the container is closed.",
            source: .cabinet("subscriptions")
        ) { world in
            let container = try world.container()
            func listening() -> Task<Void, any Error> {
                Task { for try await _ in container.notifications() {} }
            }
            let cancelled = listening()
            let closed = listening()
            try await container.privateDatabase.save(Record("Items", "a"))
            cancelled.cancel()
            _ = try await cancelled.value
            await container.close()
            _ = try? await closed.value
        },
    ]
}

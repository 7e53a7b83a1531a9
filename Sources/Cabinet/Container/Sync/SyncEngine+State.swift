import Synchronization

extension SyncEngine {
    /// The changes that an engine is to send and fetch.
    public final class State: Sendable {
        private let content: Mutex<Content>
        private let observer = Mutex(Observer())

        /// A mutex of a bare closure would put it into another one with each access.
        private struct Observer {
            var body: (@Sendable (_ isAddition: Bool) -> Void)?
        }

        struct Content: Codable, Sendable {
            /// The pending changes in their order.
            var changes = PendingChangeList<RecordID>()
            var zones = PendingChangeList<RecordZone.ID>()
            var databaseToken: ServerChangeToken?
            var zoneTokens: [ZoneToken] = []
            var unfetched: [RecordZone.ID] = []
            var user: RecordID?
            var hasPendingUntrackedChanges = false
            var isReported: Bool?
            /// The number of additions of this engine, which is not stored: a request does not survive its engine.
            var additionCount = 0

            private enum CodingKeys: CodingKey {
                case changes, zones, databaseToken, zoneTokens, unfetched, user, hasPendingUntrackedChanges, isReported
            }
        }

        struct Change<ID: Codable & Hashable & Sendable>: Codable, Sendable {
            let isSave: Bool
            let id: ID
            /// The number of the last addition.
            var number = 0

            private enum CodingKeys: CodingKey {
                case isSave, id
            }
        }

        struct ZoneToken: Codable, Sendable {
            let id: RecordZone.ID
            let token: ServerChangeToken
            /// Whether the token is that of a page, but not the last one, of a fetch from the zone's beginning; `nil` if not.
            private let isUnfinished: Bool?

            init(id: RecordZone.ID, token: ServerChangeToken, isOfUnfinishedFetch: Bool) {
                (self.id, self.token) = (id, token)
                isUnfinished = isOfUnfinishedFetch ? true : nil
            }

            var isOfUnfinishedFetch: Bool { isUnfinished ?? false }
        }

        /// The state as a value that a program stores with its records.
        public struct Serialization: Codable, Sendable {
            let content: Content

            init(_ content: Content) { self.content = content }

            /// Decodes a state.
            ///
            /// - Parameter decoder: The decoder of the program's own store.
            public init(from decoder: any Decoder) throws {
                content = try Content(from: decoder)
            }

            /// Encodes the state.
            ///
            /// - Parameter encoder: The encoder of the program's own store.
            public func encode(to encoder: any Encoder) throws {
                try content.encode(to: encoder)
            }
        }

        /// Creates a state, which an engine does itself, for a test of code that changes one.
        ///
        /// - Parameter serialization: The stored state, or `nil` for an empty one.
        public init(_ serialization: Serialization? = nil) {
            content = Mutex(serialization?.content ?? Content())
        }

        /// The changes of records that are to be sent.
        public var pendingRecordZoneChanges: [PendingRecordZoneChange] {
            content.withLock { $0.changes.changes }.map { $0.isSave ? .saveRecord($0.id) : .deleteRecord($0.id) }
        }

        /// The changes of zones that are to be sent.
        public var pendingDatabaseChanges: [PendingDatabaseChange] {
            content.withLock { $0.zones.changes }.map {
                $0.isSave ? .saveZone(RecordZone(zoneID: $0.id)) : .deleteZone($0.id)
            }
        }

        /// Whether the program has changes that it keeps track of itself.
        ///
        /// The engine then asks for batches although no change is pending.
        public var hasPendingUntrackedChanges: Bool {
            get { content.withLock { $0.hasPendingUntrackedChanges } }
            set {
                changeByProgram(isAddition: newValue) { $0.hasPendingUntrackedChanges = newValue }
            }
        }

        /// The zones that have changes which were not fetched.
        public var zoneIDsWithUnfetchedServerChanges: [RecordZone.ID] {
            content.withLock { $0.unfetched }
        }

        /// Adds changes of records.
        ///
        /// The last change of a record counts. A change that is added again while it is being sent stays pending.
        public func add(pendingRecordZoneChanges: [PendingRecordZoneChange]) {
            guard !pendingRecordZoneChanges.isEmpty else { return }
            changeByProgram(isAddition: true) { content in
                content.additionCount += 1
                content.changes.add(pendingRecordZoneChanges.map(\.content), number: content.additionCount)
            }
        }

        /// Removes changes of records.
        public func remove(pendingRecordZoneChanges: [PendingRecordZoneChange]) {
            changeByProgram(isAddition: false) { $0.changes.remove(pendingRecordZoneChanges.map(\.content)) }
        }

        /// Adds changes of zones.
        ///
        /// The last change of a zone counts. A change that is added again while it is being sent stays pending.
        public func add(pendingDatabaseChanges: [PendingDatabaseChange]) {
            guard !pendingDatabaseChanges.isEmpty else { return }
            changeByProgram(isAddition: true) { content in
                content.additionCount += 1
                content.zones.add(pendingDatabaseChanges.map(\.content), number: content.additionCount)
            }
        }

        /// Removes changes of zones.
        public func remove(pendingDatabaseChanges: [PendingDatabaseChange]) {
            changeByProgram(isAddition: false) { $0.zones.remove(pendingDatabaseChanges.map(\.content)) }
        }
    }
}

extension SyncEngine.State {
    /// Sets a closure that is called when the program has changed the state.
    func onChange(_ body: @escaping @Sendable (_ isAddition: Bool) -> Void) {
        observer.withLock { $0.body = body }
    }

    /// Whether a change of a record or zone is to be sent.
    var hasPendingChanges: Bool {
        content.withLock { !$0.changes.isEmpty || !$0.zones.isEmpty || $0.hasPendingUntrackedChanges }
    }

    private func changeByProgram(isAddition: Bool, _ body: (inout Content) -> Void) {
        change(body)
        observer.withLock { $0.body }?(isAddition)
    }

    func change(_ body: (inout Content) -> Void) {
        content.withLock { content in
            body(&content)
            content.isReported = nil
        }
    }

    /// Removes the changes that a later one replaces, whose zone has the other name of its owner.
    ///
    /// A request has each record and zone once.
    func removeReplaced(by rule: OwnerRule) {
        content.withLock { content in
            let count = content.changes.changes.count + content.zones.changes.count
            content.changes.removeReplaced(by: rule.canonical)
            content.zones.removeReplaced(by: rule.canonical)
            if content.changes.changes.count + content.zones.changes.count != count { content.isReported = nil }
        }
    }

    var value: Content { content.withLock { $0 } }

    /// Returns the state if it has changed since the last call.
    func takeChanged() -> Serialization? {
        content.withLock { content in
            if content.isReported == true { return nil }
            let serialization = Serialization(content)
            content.isReported = true
            return serialization
        }
    }

    /// Stores the account's user, and returns what has changed.
    func setUser(_ user: RecordID?) -> SyncEngine.Event.AccountChange.ChangeType? {
        content.withLock { content in
            let previous = content.user
            guard previous != user else { return nil }
            content.user = user
            content.isReported = nil
            guard let previous else { return user.map { .signIn(currentUser: $0) } }
            // The tokens and the pending changes are of another user's database.
            content = Content(user: user)
            return user.map { .switchAccounts(previousUser: previous, currentUser: $0) }
                ?? .signOut(previousUser: previous)
        }
    }
}

extension SyncEngine.State.Content {
    mutating func setToken(
        _ token: ServerChangeToken?, ofZone id: RecordZone.ID, isOfUnfinishedFetch: Bool = false
    ) {
        zoneTokens.removeAll { $0.id == id }
        if let token { zoneTokens.append(.init(id: id, token: token, isOfUnfinishedFetch: isOfUnfinishedFetch)) }
    }

    /// Removes changes of records that were sent, unless they were added again since the addition with a number.
    mutating func remove(sent: [SyncEngine.PendingRecordZoneChange], upTo number: Int) {
        changes.remove(sent.map(\.content), upTo: number)
    }

    /// Removes changes of zones that were sent, unless they were added again since the addition with a number.
    mutating func remove(sent: [SyncEngine.PendingDatabaseChange], upTo number: Int) {
        zones.remove(sent.map(\.content), upTo: number)
    }
}

extension SyncEngine.PendingRecordZoneChange {
    fileprivate var content: SyncEngine.State.Change<RecordID> {
        switch self {
        case .saveRecord(let id): .init(isSave: true, id: id)
        case .deleteRecord(let id): .init(isSave: false, id: id)
        }
    }
}

extension SyncEngine.PendingDatabaseChange {
    fileprivate var content: SyncEngine.State.Change<RecordZone.ID> {
        switch self {
        case .saveZone(let zone): .init(isSave: true, id: zone.zoneID)
        case .deleteZone(let id): .init(isSave: false, id: id)
        }
    }
}

import Synchronization

extension SyncEngine {
    /// The changes that an engine is to send and fetch.
    public final class State: Sendable {
        private let content: Mutex<Content>
        private let observer = Mutex<(@Sendable (_ isAddition: Bool) -> Void)?>(nil)

        struct Content: Codable, Sendable {
            /// The pending changes in their order: whether each is a save, with its ID.
            var changes: [Change] = []
            var zones: [ZoneChange] = []
            var databaseToken: ServerChangeToken?
            var zoneTokens: [ZoneToken] = []
            var unfetched: [RecordZone.ID] = []
            var user: RecordID?
            var hasPendingUntrackedChanges = false
            var isReported: Bool?
        }

        struct Change: Codable, Sendable, Hashable {
            let isSave: Bool
            let id: RecordID
        }

        struct ZoneChange: Codable, Sendable, Hashable {
            let isSave: Bool
            let id: RecordZone.ID
        }

        struct ZoneToken: Codable, Sendable {
            let id: RecordZone.ID
            let token: ServerChangeToken
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
            content.withLock { $0.changes }.map { $0.isSave ? .saveRecord($0.id) : .deleteRecord($0.id) }
        }

        /// The changes of zones that are to be sent.
        public var pendingDatabaseChanges: [PendingDatabaseChange] {
            content.withLock { $0.zones }.map {
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
        /// The last change of a record counts.
        public func add(pendingRecordZoneChanges: [PendingRecordZoneChange]) {
            guard !pendingRecordZoneChanges.isEmpty else { return }
            let new = pendingRecordZoneChanges.map(\.content)
            changeByProgram(isAddition: true) { content in
                let ids = Set(new.map(\.id))
                let known = Set(content.changes)
                // A change that is pending already keeps its position.
                content.changes.removeAll { ids.contains($0.id) && !new.contains($0) }
                var added: Set<Change> = []
                for item in new.reversed() where !added.contains(where: { $0.id == item.id }) { added.insert(item) }
                content.changes += new.filter { added.remove($0) != nil && !known.contains($0) }
            }
        }

        /// Removes changes of records.
        public func remove(pendingRecordZoneChanges: [PendingRecordZoneChange]) {
            let gone = Set(pendingRecordZoneChanges.map(\.content))
            changeByProgram(isAddition: false) { $0.changes.removeAll(where: gone.contains) }
        }

        /// Adds changes of zones.
        ///
        /// The last change of a zone counts.
        public func add(pendingDatabaseChanges: [PendingDatabaseChange]) {
            guard !pendingDatabaseChanges.isEmpty else { return }
            changeByProgram(isAddition: true) { content in
                for item in pendingDatabaseChanges.map(\.content) where !content.zones.contains(item) {
                    content.zones.removeAll { $0.id == item.id }
                    content.zones.append(item)
                }
            }
        }

        /// Removes changes of zones.
        public func remove(pendingDatabaseChanges: [PendingDatabaseChange]) {
            let gone = Set(pendingDatabaseChanges.map(\.content))
            changeByProgram(isAddition: false) { $0.zones.removeAll(where: gone.contains) }
        }
    }
}

extension SyncEngine.State {
    /// Sets a closure that is called when the program has changed the state.
    func onChange(_ body: @escaping @Sendable (_ isAddition: Bool) -> Void) {
        observer.withLock { $0 = body }
    }

    /// Whether a change of a record or zone is to be sent.
    var hasPendingChanges: Bool {
        content.withLock { !$0.changes.isEmpty || !$0.zones.isEmpty || $0.hasPendingUntrackedChanges }
    }

    private func changeByProgram(isAddition: Bool, _ body: (inout Content) -> Void) {
        change(body)
        observer.withLock { $0 }?(isAddition)
    }

    func change(_ body: (inout Content) -> Void) {
        content.withLock { content in
            body(&content)
            content.isReported = nil
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
    mutating func setToken(_ token: ServerChangeToken?, ofZone id: RecordZone.ID) {
        zoneTokens.removeAll { $0.id == id }
        if let token { zoneTokens.append(.init(id: id, token: token)) }
    }

    /// Removes changes of records that were sent.
    mutating func remove(_ sent: [SyncEngine.PendingRecordZoneChange]) {
        let sent = Set(sent.map(\.content))
        changes.removeAll(where: sent.contains)
    }

    /// Removes changes of zones that were sent.
    mutating func remove(_ sent: [SyncEngine.PendingDatabaseChange]) {
        let sent = Set(sent.map(\.content))
        zones.removeAll(where: sent.contains)
    }
}

extension SyncEngine.PendingRecordZoneChange {
    fileprivate var content: SyncEngine.State.Change {
        switch self {
        case .saveRecord(let id): .init(isSave: true, id: id)
        case .deleteRecord(let id): .init(isSave: false, id: id)
        }
    }
}

extension SyncEngine.PendingDatabaseChange {
    fileprivate var content: SyncEngine.State.ZoneChange {
        switch self {
        case .saveZone(let zone): .init(isSave: true, id: zone.zoneID)
        case .deleteZone(let id): .init(isSave: false, id: id)
        }
    }
}

import Cabinet
import Foundation
import Synchronization

extension CKSyncEngine {
    /// The changes that an engine is to send and fetch.
    public final class State: Sendable {
        private let content: Mutex<Content>
        private let addition = Mutex<(@Sendable () -> Void)?>(nil)

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
            public init(from decoder: any Decoder) throws {
                content = try Content(from: decoder)
            }

            /// Encodes the state.
            public func encode(to encoder: any Encoder) throws {
                try content.encode(to: encoder)
            }
        }

        init(_ serialization: Serialization?) {
            content = Mutex(serialization?.content ?? Content())
        }

        /// The changes of records that are to be sent.
        public var pendingRecordZoneChanges: [PendingRecordZoneChange] {
            content.withLock { $0.changes }.map { change in
                change.isSave ? .saveRecord(CKRecord.ID(change.id)) : .deleteRecord(CKRecord.ID(change.id))
            }
        }

        /// The changes of zones that are to be sent.
        public var pendingDatabaseChanges: [PendingDatabaseChange] {
            content.withLock { $0.zones }.map { change in
                change.isSave
                    ? .saveZone(CKRecordZone(RecordZone(zoneID: change.id))) : .deleteZone(CKRecordZone.ID(change.id))
            }
        }

        /// Whether the program has changes that it keeps track of itself; the engine then asks for batches.
        public var hasPendingUntrackedChanges: Bool {
            get { content.withLock { $0.hasPendingUntrackedChanges } }
            set {
                change { $0.hasPendingUntrackedChanges = newValue }
                if newValue { addition.withLock { $0 }?() }
            }
        }

        /// The zones that have changes which were not fetched.
        public var zoneIDsWithUnfetchedServerChanges: [CKRecordZone.ID] {
            content.withLock { $0.unfetched }.map(CKRecordZone.ID.init)
        }

        /// Adds changes of records.
        ///
        /// The last change of a record counts.
        public func add(pendingRecordZoneChanges: [PendingRecordZoneChange]) {
            guard !pendingRecordZoneChanges.isEmpty else { return }
            let new = pendingRecordZoneChanges.map(\.content)
            change { content in
                let ids = Set(new.map(\.id))
                let known = Set(content.changes)
                // A change that is pending already keeps its position.
                content.changes.removeAll { ids.contains($0.id) && !new.contains($0) }
                var added: Set<Change> = []
                for item in new.reversed() where !added.contains(where: { $0.id == item.id }) { added.insert(item) }
                content.changes += new.filter { added.remove($0) != nil && !known.contains($0) }
            }
            addition.withLock { $0 }?()
        }

        /// Removes changes of records.
        public func remove(pendingRecordZoneChanges: [PendingRecordZoneChange]) {
            let gone = Set(pendingRecordZoneChanges.map(\.content))
            change { $0.changes.removeAll(where: gone.contains) }
        }

        /// Adds changes of zones.
        ///
        /// The last change of a zone counts.
        public func add(pendingDatabaseChanges: [PendingDatabaseChange]) {
            guard !pendingDatabaseChanges.isEmpty else { return }
            change { content in
                for item in pendingDatabaseChanges.map(\.content) where !content.zones.contains(item) {
                    content.zones.removeAll { $0.id == item.id }
                    content.zones.append(item)
                }
            }
            addition.withLock { $0 }?()
        }

        /// Removes changes of zones.
        public func remove(pendingDatabaseChanges: [PendingDatabaseChange]) {
            let gone = Set(pendingDatabaseChanges.map(\.content))
            change { $0.zones.removeAll(where: gone.contains) }
        }
    }
}

extension CKSyncEngine.State {
    /// Sets a closure that is called when changes were added.
    func onAddition(_ body: @escaping @Sendable () -> Void) {
        addition.withLock { $0 = body }
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
    func setUser(_ user: CKRecord.ID?) -> CKSyncEngine.Event.AccountChange.ChangeType? {
        content.withLock { content in
            let previous = content.user.map(CKRecord.ID.init)
            guard previous != user else { return nil }
            content.user = user?.value
            content.isReported = nil
            guard let previous else { return user.map { .signIn(currentUser: $0) } }
            // The tokens are of another user's database.
            content.databaseToken = nil
            content.zoneTokens = []
            content.unfetched = []
            return user.map { .switchAccounts(previousUser: previous, currentUser: $0) }
                ?? .signOut(previousUser: previous)
        }
    }

    func setToken(_ token: ServerChangeToken?, ofZone id: RecordZone.ID) {
        change { content in
            content.zoneTokens.removeAll { $0.id == id }
            if let token { content.zoneTokens.append(ZoneToken(id: id, token: token)) }
        }
    }
}

extension CKSyncEngine.PendingRecordZoneChange {
    fileprivate var content: CKSyncEngine.State.Change {
        switch self {
        case .saveRecord(let id): .init(isSave: true, id: id.value)
        case .deleteRecord(let id): .init(isSave: false, id: id.value)
        }
    }
}

extension CKSyncEngine.PendingDatabaseChange {
    fileprivate var content: CKSyncEngine.State.ZoneChange {
        switch self {
        case .saveZone(let zone): .init(isSave: true, id: zone.zoneID.value)
        case .deleteZone(let id): .init(isSave: false, id: id.value)
        }
    }
}

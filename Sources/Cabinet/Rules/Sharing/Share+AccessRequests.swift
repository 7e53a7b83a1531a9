extension Share {
    /// A user that has asked to take part in a share: CloudKit's `CKShare.AccessRequester`.
    public struct AccessRequester: Sendable, Hashable {
        /// The record name of the user.
        public let userRecordName: String

        /// The ID of the user's own record.
        public var userRecordID: RecordID { RecordID(recordName: userRecordName) }

        package init(userRecordName: String) {
            self.userRecordName = userRecordName
        }
    }

    /// A user that may not ask to take part in a share: CloudKit's `CKShare.BlockedIdentity`.
    public struct BlockedIdentity: Sendable, Hashable {
        /// The record name of the user.
        public let userRecordName: String

        /// The ID of the user's own record.
        public var userRecordID: RecordID { RecordID(recordName: userRecordName) }

        package init(userRecordName: String) {
            self.userRecordName = userRecordName
        }
    }

    /// The largest number of users that wait for an answer, and of users that are blocked.
    public static let maximumAccessRequests = 100

    /// Whether users that know the URL may ask to take part; the default is `false`, and then the share does not exist for them.
    public var allowsAccessRequests: Bool {
        get { record.fields[SystemFieldKey.allowsAccessRequests] == .int64(1) }
        set { record.setFieldValue(newValue ? .int64(1) : nil, forKey: SystemFieldKey.allowsAccessRequests) }
    }

    /// The users that wait for an answer, as the owner and administrators see them.
    ///
    /// Add a participant of that name to approve, or call ``denyRequesters(_:)`` or ``blockRequesters(_:)``, and save the share.
    public var requesters: [AccessRequester] {
        names(SystemFieldKey.requesters).map { AccessRequester(userRecordName: $0) }
    }

    /// The users that may not ask, as the owner and administrators see them.
    public var blockedIdentities: [BlockedIdentity] {
        names(SystemFieldKey.blocked).map { BlockedIdentity(userRecordName: $0) }
    }

    /// Refuses users, who may ask again.
    public mutating func denyRequesters(_ requesters: [AccessRequester]) {
        remove(Set(requesters.map(\.userRecordName)), from: SystemFieldKey.requesters)
    }

    /// Refuses users, who may not ask again, and removes them from the participants.
    public mutating func blockRequesters(_ requesters: [AccessRequester]) {
        denyRequesters(requesters)
        let known = names(SystemFieldKey.blocked)
        let new = requesters.map(\.userRecordName).filter { !known.contains($0) }
        storeNames(known + new, SystemFieldKey.blocked)
        for name in new {
            if let participant = participant(for: RecordID(recordName: name)) { removeParticipant(participant) }
        }
    }

    /// Lets users ask again.
    public mutating func unblockIdentities(_ identities: [BlockedIdentity]) {
        remove(Set(identities.map(\.userRecordName)), from: SystemFieldKey.blocked)
    }

    private func names(_ key: Record.FieldKey) -> [String] { ShareContent.names(key, in: record.fields) ?? [] }

    private mutating func remove(_ names: Set<String>, from key: Record.FieldKey) {
        storeNames(self.names(key).filter { !names.contains($0) }, key)
    }

    private mutating func storeNames(_ names: [String], _ key: Record.FieldKey) {
        store(names.isEmpty ? nil : .list(.string(names)), forKey: key)
    }
}

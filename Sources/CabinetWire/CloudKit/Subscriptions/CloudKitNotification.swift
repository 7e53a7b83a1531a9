public import Cabinet

/// A notification in the form of CloudKit Web Services, as the answer to a poll has it.
///
/// No subscription has a text for the user, so every notification is a silent one.
public struct CloudKitNotification: Sendable, Hashable {
    /// The notification.
    public var notification: SubscriptionNotification
    /// The ID of this notification.
    public var notificationID: String
    /// The container's identifier.
    public var containerIdentifier: String
    /// The record name of the user.
    public var userRecordName: String

    /// Creates a notification.
    public init(
        _ notification: SubscriptionNotification, notificationID: String, containerIdentifier: String,
        userRecordName: String
    ) {
        (self.notification, self.notificationID) = (notification, notificationID)
        (self.containerIdentifier, self.userRecordName) = (containerIdentifier, userRecordName)
    }

    /// The JSON.
    public var json: [UInt8] {
        var writer = JSONWriter()
        // No member is an array, so nothing is thrown.
        try? writer.object { writer throws(CabinetError) in
            try writer.member("aps") { writer in writer.member("content-available", 1) }
            try writer.member("ck") { writer throws(CabinetError) in
                writer.member("ce", 2)
                writer.member("ckuserid", userRecordName)
                try writer.member("aux") { _ in }
                writer.member("nid", notificationID)
                writer.member("cid", containerIdentifier)
                try write(to: &writer)
            }
        }
        return writer.bytes
    }

    private func write(to writer: inout JSONWriter) throws(CabinetError) {
        switch notification.event {
        case .query(let event):
            try writer.member("qry") { writer in
                writeZone(event.recordID.zoneID, to: &writer)
                writer.member("rid", event.recordID.recordName)
                writer.member("fo", Int64(event.reason.rawValue))
            }
        case .recordZone(let zoneID):
            try writer.member("fet") { writer in writeZone(zoneID, to: &writer) }
        case .database, .manyChanges, .failure:
            // A program that does not know which records have changed asks for the changes of the database.
            try writer.member("met") { writer in writeSource(to: &writer) }
        }
    }

    private func writeZone(_ zoneID: RecordZone.ID, to writer: inout JSONWriter) {
        writer.member("zid", zoneID.zoneName)
        let isOwn = zoneID.ownerName == RecordZone.ID.defaultOwnerName
        writer.member("zoid", isOwn ? userRecordName : zoneID.ownerName)
        writeSource(to: &writer)
    }

    private func writeSource(to writer: inout JSONWriter) {
        let number: Int64 =
            switch notification.databaseScope {
            case .public: 1
            case .private: 2
            case .shared: 3
            }
        writer.member("dbs", number)
        writer.member("sid", notification.subscriptionID)
    }
}

import Cabinet

/// Subscriptions in requests and responses.
enum CloudKitSubscription {
    private static let options: [(name: String, option: QuerySubscription.Options)] = [
        ("create", .firesOnRecordCreation), ("update", .firesOnRecordUpdate), ("delete", .firesOnRecordDeletion),
    ]

    /// Reads a subscription; what a notification looks like is passed over, because no device is notified.
    ///
    /// The record type of a zone or database subscription, and the keys of a notification, are Cabinet's own members.
    ///
    /// - Parameters:
    ///   - fields: The types of the fields of each record type.
    ///   - mapZone: Returns the zone to use for one of the JSON.
    static func read(
        _ node: JSONNode, fields: [Record.RecordType: [Record.FieldKey: FieldType]],
        mapZone: @escaping (RecordZone.ID) -> RecordZone.ID
    ) throws(CabinetError) -> Subscription {
        let id = try node["subscriptionID"]?.string() ?? Subscription.uniqueID()
        let type = try node["subscriptionType"]?.string() ?? "query"
        let zoneID = try node["zoneID"].map { node throws(CabinetError) in mapZone(try CloudKitZone.read(node)) }
        switch type.lowercased() {
        case "query":
            let query = try node.required("query").object()
            let recordType = try query.required("recordType").string()
            let isZoneWide = try node["zoneWide"]?.bool() ?? true
            let zone = zoneID ?? (isZoneWide ? nil : .default)
            let filter = try CloudKitQuery.read(
                query, recordType: recordType, fields: fields[recordType] ?? [:], zoneID: zone,
                mapZone: mapZone
            ).filter
            return .query(
                QuerySubscription(
                    recordType: recordType, filter: filter, subscriptionID: id, zoneID: zone,
                    options: try options(node), desiredKeys: try node["desiredKeys"]?.strings() ?? []))
        case "zone":
            guard let zoneID else { throw node.missing("zoneID") }
            return .recordZone(
                RecordZoneSubscription(
                    zoneID: zoneID, subscriptionID: id, recordType: try node["recordType"]?.string()))
        case "database":
            return .database(
                DatabaseSubscription(subscriptionID: id, recordType: try node["recordType"]?.string()))
        default: throw node.error(expected: "a subscriptionType of query, zone or database")
        }
    }

    private static func options(_ node: JSONNode) throws(CabinetError) -> QuerySubscription.Options {
        var options: QuerySubscription.Options = []
        if let names = node["firesOn"] {
            for name in try names.strings() {
                guard let found = Self.options.first(where: { $0.name == name }) else {
                    throw names.error(expected: "create, update or delete")
                }
                options.insert(found.option)
            }
        } else {
            options = [.firesOnRecordCreation, .firesOnRecordUpdate, .firesOnRecordDeletion]
        }
        if try node["firesOnce"]?.bool() == true { options.insert(.firesOnce) }
        return options
    }

    /// Returns a subscription, or the error of one whose filter CloudKit cannot say: clients of Cabinet may save any.
    static func checked(_ subscription: Subscription) -> Result<Subscription, CabinetError> {
        do {
            if case .query(let query) = subscription { _ = try CloudKitComparator.comparisons(of: query.filter) }
            return .success(subscription)
        } catch {
            return .failure(error)
        }
    }

    /// Writes a subscription.
    ///
    /// - Throws: ``/Cabinet/CabinetError/Code/invalidArguments`` with the part of its filter that CloudKit cannot say.
    static func write(
        _ subscription: Subscription, by values: CloudKitValueWriter, to writer: inout JSONWriter
    ) throws(CabinetError) {
        try writer.object { writer throws(CabinetError) in
            writer.member("subscriptionID", subscription.subscriptionID)
            switch subscription {
            case .query(let query):
                writer.member("subscriptionType", "query")
                writer.key("query")
                try CloudKitQuery.write(
                    Query(recordType: query.recordType, filter: query.filter), by: values, to: &writer)
                if let zoneID = query.zoneID { try writer.zone(zoneID, values.userRecordName) }
                writer.member("zoneWide", query.zoneID == nil)
                let options = query.querySubscriptionOptions
                try writer.member("firesOn", Self.options.filter { options.contains($0.option) }.map(\.name))
                writer.member("firesOnce", options.contains(.firesOnce))
                if !query.desiredKeys.isEmpty { try writer.member("desiredKeys", query.desiredKeys) }
            case .recordZone(let subscription):
                writer.member("subscriptionType", "zone")
                if let type = subscription.recordType { writer.member("recordType", type) }
                try writer.zone(subscription.zoneID, values.userRecordName)
            case .database(let subscription):
                writer.member("subscriptionType", "database")
                if let type = subscription.recordType { writer.member("recordType", type) }
            }
        }
    }
}

import Cabinet

/// Zones, in requests.
enum CloudKitZone {
    /// Reads a zone's ID: `{"zoneName": …, "ownerRecordName": …}`.
    static func read(_ node: JSONNode) throws(CabinetError) -> RecordZone.ID {
        let name = try node.required("zoneName").string()
        // Some clients send another key, which the service has never written.
        let owner = try (node["ownerRecordName"] ?? node["ownerName"])?.string()
        return RecordZone.ID(zoneName: name, ownerName: owner ?? RecordZone.ID.defaultOwnerName)
    }

    /// Reads the member `zoneID`; the default zone if the object has none.
    static func read(in node: JSONNode) throws(CabinetError) -> RecordZone.ID {
        guard let zone = node["zoneID"] else { return .default }
        return try read(zone)
    }
}

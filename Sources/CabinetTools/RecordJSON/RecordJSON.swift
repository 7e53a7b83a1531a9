package import Cabinet
package import Foundation

/// Records as JSON objects: `{"recordName":…,"recordType":…,"fields":{…}}`.
package enum RecordJSON {
    /// Returns a record as an object, without the files of assets.
    ///
    /// - Parameter hasSystemFields: Whether to add what the store assigns: the change tag, dates and users.
    package static func object(_ record: Record, hasSystemFields: Bool = true) -> JSONValue {
        object(record, hasSystemFields: hasSystemFields) { _ in nil }
    }

    /// Returns a record as an object.
    ///
    /// - Parameters:
    ///   - hasSystemFields: Whether to add what the store assigns: the change tag, dates and users.
    ///   - asset: Returns the file of an asset, relative to the output; `nil` for none.
    package static func object(
        _ record: Record, hasSystemFields: Bool = true, asset: (Asset) throws -> String?
    ) rethrows -> JSONValue {
        var members: [JSONValue.Member] = []
        func add(_ key: String, _ value: JSONValue?) {
            if let value { members.append(JSONValue.Member(key: key, value: value)) }
        }
        add("recordName", .string(record.recordID.recordName))
        add("recordType", .string(record.recordType))
        if record.recordID.zoneID != .default { add("zone", .string(record.recordID.zoneID.zoneName)) }
        add("parent", record.parent.map { .string($0.recordID.recordName) })
        if hasSystemFields {
            add("changeTag", record.recordChangeTag.map(JSONValue.string))
            add("created", record.creationDate.map { .string(shown($0)) })
            add("createdBy", record.creatorUserRecordID.map { .string($0.recordName) })
            add("modified", record.modificationDate.map { .string(shown($0)) })
            add("modifiedBy", record.lastModifiedUserRecordID.map { .string($0.recordName) })
        }
        var fields: [JSONValue.Member] = []
        try record.fields.forEach { fields.append(.init(key: $0, value: try json($1, asset))) }
        add("fields", .object(fields.sorted { $0.key < $1.key }))
        return .object(members)
    }

    /// Returns the object for a deletion: `{"deleted":{"recordName":…,"recordType":…}}`.
    package static func deletion(of id: RecordID, recordType: Record.RecordType) -> JSONValue {
        var members = [
            JSONValue.Member(key: "recordName", value: .string(id.recordName)),
            JSONValue.Member(key: "recordType", value: .string(recordType)),
        ]
        if id.zoneID != .default { members.append(.init(key: "zone", value: .string(id.zoneID.zoneName))) }
        return ["deleted": .object(members)]
    }

    /// Returns a value: text and numbers as such, other types as objects that name their type.
    package static func json(_ value: FieldValue, _ asset: (Asset) throws -> String?) rethrows -> JSONValue {
        switch value {
        case .string(let text): .string(text)
        case .int64(let number): .integer(number)
        case .double(let number): number.isFinite ? .number(number) : ["double": .string("\(number)")]
        case .timestamp(let date):
            // Milliseconds are for people; the seconds make the value exact.
            ["timestamp": .string(shown(date)), "seconds": .number(date.timeIntervalSinceReferenceDate)]
        case .bytes(let data): ["bytes": .string(data.base64EncodedString())]
        case .reference(let reference):
            ["reference": .string(reference.recordID.recordName), "action": .string("\(reference.action)")]
        case .location(let location): ["location": json(location)]
        case .asset(let value):
            [
                "asset": .string(value.checksum?.description ?? ""), "size": .integer(value.size ?? 0),
                "file": try asset(value).map(JSONValue.string) ?? .null,
            ]
        case .encrypted(let value):
            // The type is that of the field, by which an import creates it.
            [
                "encrypted": .string(value.ciphertext?.base64EncodedString() ?? ""),
                "type": .string(value.fieldType.description),
            ]
        case .list(let list):
            list.count == 0
                ? ["list": .string(list.elementType.rawValue)] : .array(try list.elements.map { try json($0, asset) })
        }
    }

    private static func json(_ location: Location) -> JSONValue {
        let parts: [(String, Double?)] = [
            ("latitude", location.latitude), ("longitude", location.longitude), ("altitude", location.altitude),
            ("horizontalAccuracy", location.horizontalAccuracy), ("verticalAccuracy", location.verticalAccuracy),
            ("course", location.course), ("speed", location.speed),
            ("timestamp", location.timestamp?.timeIntervalSinceReferenceDate),
        ]
        return .object(parts.compactMap { key, value in value.map { JSONValue.Member(key: key, value: .number($0)) } })
    }

    /// A date in ISO 8601 with milliseconds.
    package static func shown(_ date: Date) -> String {
        date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    }
}

extension FieldValue {
    /// The asset, or those of a list; empty for other values.
    package var assets: [Asset] {
        switch self {
        case .asset(let asset): [asset]
        case .list(.asset(let assets)): assets
        default: []
        }
    }
}

package import Cabinet
import Foundation

extension RecordJSON {
    /// Sets a record's fields and parent from an object.
    ///
    /// - Parameters:
    ///   - files: The files that assets may be read from.
    ///   - replacing: Whether fields that the object lacks are removed.
    ///   - type: The record type, by whose fields text is read as a date, a reference and so on.
    package static func fill(
        _ record: inout Record, from object: JSONValue, files: AssetFiles, replacing: Bool = false,
        type: Schema.RecordType? = nil
    ) throws(CabinetError) {
        if case .object(let members)? = object["fields"] {
            if replacing {
                for key in record.fields.keys where object["fields"]?[key] == nil { record[key] = nil }
            }
            for member in members {
                let json = try type?[member.key].map { field throws(CabinetError) in
                    try member.value.fitted(to: field.type, of: member.key).keepingAction(
                        of: record.fields[member.key])
                }
                let value = try value(json ?? member.value, of: member.key, zoneID: record.recordID.zoneID, files)
                record.setFieldValue(value, forKey: member.key)
            }
        } else if object["fields"] != nil {
            throw CabinetError(.invalidArguments, "\"fields\" is not an object.")
        }
        if let parent = object["parent"]?.string {
            record.setParent(RecordID(recordName: parent, zoneID: record.recordID.zoneID))
        }
    }

    /// Reads a value; `nil` for null.
    private static func value(
        _ json: JSONValue, of key: String, zoneID: RecordZone.ID, _ files: AssetFiles
    ) throws(CabinetError) -> FieldValue? {
        func refusal(_ expected: String) -> CabinetError {
            CabinetError(
                .invalidArguments,
                "The value of '\(key)' is \(json.description.prefix(80)); expected \(expected).")
        }
        switch json {
        case .null: return nil
        case .bool(let value): return .int64(value ? 1 : 0)
        case .integer(let value): return .int64(value)
        case .number(let value): return .double(value)
        case .string(let text): return .string(text)
        case .array(let elements):
            let values = try elements.map { element throws(CabinetError) in
                try value(element, of: key, zoneID: zoneID, files)
            }
            guard let first = values.first ?? nil else {
                throw refusal("elements, or {\"list\":\"STRING\"} for an empty list")
            }
            // JSON has one type of numbers: a list with a fraction is one of doubles.
            let isMixed = Set(values.compactMap { $0?.fieldType }) == [.int64, .double]
            let scalar = isMixed ? .double : first.fieldType.scalar
            let same = values.compactMap { value -> FieldValue? in
                if isMixed, case .int64(let number)? = value { return Double(exactly: number).map(FieldValue.double) }
                return value
            }
            guard same.count == values.count, let list = FieldList(same, of: scalar) else {
                throw refusal("a list with values of one type")
            }
            return .list(list)
        case .object:
            try checkMembers(ofValue: json, of: key)
            if let date = json["timestamp"]?.string {
                if let seconds = json["seconds"]?.double {
                    return .timestamp(Date(timeIntervalSinceReferenceDate: seconds))
                }
                guard let date = Self.date(date) else { throw refusal("a date such as 2026-12-24T18:00:00Z") }
                return .timestamp(date)
            }
            if let text = json["bytes"]?.string {
                guard let data = Data(base64Encoded: text) else { throw refusal("bytes in Base64") }
                return .bytes(data)
            }
            if let name = json["reference"]?.string {
                let action = json["action"].map(\.string) ?? "none"
                guard let rule = Reference.Action.allCases.first(where: { "\($0)" == action }) else {
                    throw refusal("the action none, deleteSelf, nullify or deny")
                }
                return .reference(Reference(recordID: RecordID(recordName: name, zoneID: zoneID), action: rule))
            }
            if let location = json["location"] {
                guard let data = location.description.data(using: .utf8),
                    let place = try? JSONDecoder().decode(Location.self, from: data)
                else { throw refusal("a location with a latitude and a longitude") }
                return .location(place)
            }
            if json["asset"] != nil || json["file"] != nil {
                if let path = json["file"]?.string { return .asset(try files.asset(at: path, json)) }
                guard files.includesStored,
                    let checksum = json["asset"]?.string.flatMap(Asset.Checksum.init(hexadecimal:)),
                    case .integer(let size)? = json["size"], size >= 0
                else { throw refusal("the path of a file in \"file\"") }
                return .asset(Asset(StoredAsset(checksum: checksum, size: size)))
            }
            if let text = json["encrypted"]?.string {
                guard let type = json["type"]?.string.flatMap({ FieldType($0) }), let data = Data(base64Encoded: text),
                    let value = EncryptedValue(type, ciphertext: data)
                else { throw refusal("a ciphertext in Base64 and a type such as ENCRYPTED STRING") }
                return .encrypted(value)
            }
            if let number = json["double"]?.string, let value = Double(number) { return .double(value) }
            if let type = json["list"]?.string, let scalar = FieldType.Scalar(rawValue: type),
                let list = FieldList([], of: scalar)
            {
                return .list(list)
            }
            throw refusal("an object with timestamp, bytes, reference, location, file, encrypted or list")
        }
    }

    static func date(_ text: String) -> Date? {
        (try? Date(text, strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: true)))
            ?? (try? Date(text, strategy: .iso8601))
    }
}

extension JSONValue {
    /// Returns a reference without an action with that of the value it replaces.
    fileprivate func keepingAction(of old: FieldValue?) -> JSONValue {
        guard case .reference(let reference)? = old, case .object(let members) = self, members.count == 1,
            let name = self["reference"]
        else { return self }
        return ["reference": name, "action": .string("\(reference.action)")]
    }

    package var double: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .number(let value): value
        default: nil
        }
    }
}

import Cabinet
import Foundation

/// Reads the value of a field from JSON.
struct FieldValueReader {
    let key: Record.FieldKey
    /// The zone of the record, in which references point to others.
    let zoneID: RecordZone.ID
    /// The files that assets may be read from.
    let files: AssetFiles

    /// Reads a value; `nil` for null.
    func value(_ json: JSONValue) throws(CabinetError) -> FieldValue? {
        switch json {
        case .null: nil
        case .bool(let value): .int64(value ? 1 : 0)
        case .integer(let value): .int64(value)
        case .number(let value): .double(value)
        case .string(let text): .string(text)
        case .array(let elements): .list(try list(elements, json))
        case .object: try object(json)
        }
    }

    private func list(_ elements: [JSONValue], _ json: JSONValue) throws(CabinetError) -> FieldList {
        let values = try elements.map { element throws(CabinetError) in try value(element) }
        guard let first = values.first ?? nil else {
            throw refusal(json, "elements, or {\"list\":\"STRING\"} for an empty list")
        }
        // JSON has one type of numbers: a list with a fraction is one of doubles.
        let isMixed = Set(values.compactMap { $0?.fieldType }) == [.int64, .double]
        let scalar = isMixed ? .double : first.fieldType.scalar
        let same = values.compactMap { value -> FieldValue? in
            if isMixed, case .int64(let number)? = value { return Double(exactly: number).map(FieldValue.double) }
            return value
        }
        guard same.count == values.count, let list = FieldList(same, of: scalar) else {
            throw refusal(json, "a list with values of one type")
        }
        return list
    }

    /// Reads an object, in which the name of a member says the type.
    private func object(_ json: JSONValue) throws(CabinetError) -> FieldValue {
        try RecordJSON.checkMembers(ofValue: json, of: key)
        if let text = json["timestamp"]?.string { return .timestamp(try date(text, json)) }
        if let text = json["bytes"]?.string { return .bytes(try bytes(text, json)) }
        if let name = json["reference"]?.string { return .reference(try reference(to: name, json)) }
        if let location = json["location"] { return .location(try self.location(location, json)) }
        if json["asset"] != nil || json["file"] != nil { return .asset(try asset(json)) }
        if let text = json["encrypted"]?.string { return .encrypted(try encryptedValue(text, json)) }
        if let number = json["double"]?.string.flatMap({ Double($0) }) { return .double(number) }
        if let scalar = json["list"]?.string.flatMap(FieldType.Scalar.init(rawValue:)),
            let list = FieldList([], of: scalar)
        {
            return .list(list)
        }
        throw refusal(json, "an object with timestamp, bytes, reference, location, file, encrypted or list")
    }

    private func date(_ text: String, _ json: JSONValue) throws(CabinetError) -> Date {
        if let seconds = json["seconds"]?.double { return Date(timeIntervalSinceReferenceDate: seconds) }
        guard let date = RecordJSON.date(text) else { throw refusal(json, "a date such as 2026-12-24T18:00:00Z") }
        return date
    }

    private func bytes(_ text: String, _ json: JSONValue) throws(CabinetError) -> Data {
        guard let data = Data(base64Encoded: text) else { throw refusal(json, "bytes in Base64") }
        return data
    }

    private func reference(to name: String, _ json: JSONValue) throws(CabinetError) -> Reference {
        let action = json["action"].map(\.string) ?? "none"
        guard let rule = Reference.Action.allCases.first(where: { "\($0)" == action }) else {
            throw refusal(json, "the action none, deleteSelf, nullify or deny")
        }
        return Reference(recordID: RecordID(recordName: name, zoneID: zoneID), action: rule)
    }

    private func location(_ location: JSONValue, _ json: JSONValue) throws(CabinetError) -> Location {
        guard let data = location.description.data(using: .utf8),
            let location = try? JSONDecoder().decode(Location.self, from: data)
        else { throw refusal(json, "a location with a latitude and a longitude") }
        return location
    }

    private func asset(_ json: JSONValue) throws(CabinetError) -> Asset {
        if let path = json["file"]?.string { return try files.asset(at: path, json) }
        guard files.includesStored,
            let checksum = json["asset"]?.string.flatMap(Asset.Checksum.init(hexadecimal:)),
            case .integer(let size)? = json["size"], size >= 0
        else { throw refusal(json, "the path of a file in \"file\"") }
        return Asset(StoredAsset(checksum: checksum, size: size))
    }

    private func encryptedValue(_ text: String, _ json: JSONValue) throws(CabinetError) -> EncryptedValue {
        guard let type = json["type"]?.string.flatMap({ FieldType($0) }), let data = Data(base64Encoded: text),
            let value = EncryptedValue(type, ciphertext: data)
        else { throw refusal(json, "a ciphertext in Base64 and a type such as ENCRYPTED STRING") }
        return value
    }

    private func refusal(_ json: JSONValue, _ expected: String) -> CabinetError {
        CabinetError(
            .invalidArguments, "The value of '\(key)' is \(json.description.prefix(80)); expected \(expected).")
    }
}

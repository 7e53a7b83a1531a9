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
                let reader = FieldValueReader(key: member.key, zoneID: record.recordID.zoneID, files: files)
                let value = try reader.value(json ?? member.value)
                record.setFieldValue(value, forKey: member.key)
            }
        } else if object["fields"] != nil {
            throw CabinetError(.invalidArguments, "\"fields\" is not an object.")
        }
        if let parent = object["parent"]?.string {
            record.setParent(RecordID(recordName: parent, zoneID: record.recordID.zoneID))
        }
    }

    /// Returns the date of a text in the format of ISO 8601; `nil` for another text.
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

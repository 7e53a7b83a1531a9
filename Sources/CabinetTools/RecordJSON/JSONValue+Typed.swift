package import Cabinet
package import Foundation

extension JSONValue {
    /// Reads a value as a person types it, by the type of its field: `tomorrow` for a date, the name of a record for a reference.
    ///
    /// For every type but text, JSON objects and arrays are read as such. An empty text removes the value.
    ///
    /// - Parameters:
    ///   - key: The name of the field, for messages.
    ///   - type: The type of the field's values; `nil` if the schema has no such field, so that JSON decides.
    ///   - now: The time that `today` and `now` stand for.
    ///   - timeZone: The time zone of a date without one.
    /// - Throws: ``CabinetError/Code/invalidArguments`` with the form that the type has.
    package init(
        typed text: String, of key: Record.FieldKey, as type: FieldType?, now: Date = Date(),
        timeZone: TimeZone = .current
    ) throws(CabinetError) {
        if text.isEmpty {
            self = .null
        } else if let type, type.isEncrypted {
            self = try JSONValue.string(text).fitted(to: type, of: key, now: now, timeZone: timeZone)
        } else if let type {
            let json = try? JSONValue(parsing: text)
            switch json {
            case .string where type == .string: self = json ?? .null
            case .object where type != .string, .array where type != .string, .null where type != .string:
                self = try (json ?? .null).fitted(to: type, of: key, now: now, timeZone: timeZone)
            default: self = try Self(plain: text, of: key, as: type, now, timeZone)
            }
        } else {
            self = (try? JSONValue(parsing: text)) ?? .string(text)
        }
    }

    /// Returns the value with text in the form of a field's type: `"2026-11-25"` becomes a date.
    func fitted(
        to type: FieldType, of key: Record.FieldKey, now: Date = Date(), timeZone: TimeZone = .current
    ) throws(CabinetError) -> JSONValue {
        switch self {
        case _ where type.isEncrypted && self != .null && self["encrypted"] == nil:
            throw CabinetError(
                .invalidArguments,
                "The field '\(key)' holds \(type) values, which only a program with their keys can set.", fieldKey: key)
        case .string(let text) where type != .string:
            return try JSONValue(plain: text, of: key, as: type, now, timeZone)
        case .array(let elements) where type.isList:
            let scalar = FieldType(type.scalar)
            return .array(
                try elements.map { element throws(CabinetError) in
                    try element.fitted(to: scalar, of: key, now: now, timeZone: timeZone)
                })
        default: return self
        }
    }

    /// Reads a text in the form of a type, without JSON.
    private init(
        plain text: String, of key: Record.FieldKey, as type: FieldType, _ now: Date, _ timeZone: TimeZone
    ) throws(CabinetError) {
        if type.isList {
            let parts = text.unicodeScalars.split(separator: ",")
            self = .array(
                try parts.map { part throws(CabinetError) in
                    let part = String(part).trimmingCharacters(in: .whitespaces)
                    return try JSONValue(plain: part, of: key, as: FieldType(type.scalar), now, timeZone)
                })
        } else if let value = Self.scalar(text, type.scalar, now, timeZone) {
            self = value
        } else {
            throw CabinetError(
                .invalidArguments,
                "'\(text.prefix(80))' does not fit the field '\(key)', which holds \(type.scalar.rawValue) values. "
                    + "Write \(type.scalar.form).",
                fieldKey: key)
        }
    }

    private static func scalar(
        _ text: String, _ type: FieldType.Scalar, _ now: Date, _ timeZone: TimeZone
    ) -> JSONValue? {
        switch type {
        case .string: return .string(text)
        case .int64:
            return ["true", "false"].contains(text) ? .bool(text == "true") : Int64(text).map(JSONValue.integer)
        case .double: return Double(text).flatMap { $0.isFinite ? .number($0) : nil }
        case .timestamp: return date(text, now, timeZone).map { ["timestamp": .string(RecordJSON.shown($0))] }
        case .bytes: return Data(base64Encoded: text).map { ["bytes": .string($0.base64EncodedString())] }
        case .asset: return ["file": .string(text)]
        case .reference:
            let words = text.split(separator: " ").map(String.init)
            guard words.count == 2, Reference.Action.allCases.contains(where: { "\($0)" == words[1] }) else {
                return words.count == 1 ? ["reference": .string(text)] : nil
            }
            return ["reference": .string(words[0]), "action": .string(words[1])]
        case .location:
            let parts = text.split(separator: ",").map { Double($0.trimmingCharacters(in: .whitespaces)) }
            guard parts.count == 2, let latitude = parts[0], let longitude = parts[1] else { return nil }
            return ["location": ["latitude": .number(latitude), "longitude": .number(longitude)]]
        }
    }

    /// Reads a day, a day with a time, or an instant with a time zone of its own.
    private static func date(_ text: String, _ now: Date, _ timeZone: TimeZone) -> Date? {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = timeZone
        let today = calendar.startOfDay(for: now)
        switch text.lowercased() {
        case "now": return now
        case "today": return today
        case "tomorrow": return calendar.date(byAdding: .day, value: 1, to: today)
        case "yesterday": return calendar.date(byAdding: .day, value: -1, to: today)
        default: break
        }
        if let instant = RecordJSON.date(text) { return instant }
        // \d matches the digits of all scripts, which Int does not read.
        let pattern = #/([0-9]{4})-([0-9]{2})-([0-9]{2})(?:[T ]([0-9]{2}):([0-9]{2})(?::([0-9]{2}))?)?/#
        guard let match = text.wholeMatch(of: pattern) else { return nil }
        func number(_ part: Substring?) -> Int { part.flatMap { Int($0) } ?? 0 }
        let parts = DateComponents(
            year: number(match.1), month: number(match.2), day: number(match.3), hour: number(match.4),
            minute: number(match.5), second: number(match.6))
        // The calendar would carry the 31st of November over to December.
        guard let date = calendar.date(from: parts) else { return nil }
        let same = calendar.dateComponents([.year, .month, .day, .hour, .minute, .second], from: date)
        return same == parts ? date : nil
    }
}

extension FieldType.Scalar {
    /// The form of a typed value, for messages.
    fileprivate var form: String {
        switch self {
        case .string: "text"
        case .int64: "a whole number, true or false"
        case .double: "a number such as 2.5"
        case .timestamp: "2026-11-25, 2026-11-25 18:00, 2026-11-25T18:00:00Z, today, tomorrow, yesterday or now"
        case .bytes: "bytes in Base64"
        case .reference: "the name of a record, which an action may follow: none, deleteSelf, nullify or deny"
        case .location: "a latitude and a longitude, such as 41.9, 12.5"
        case .asset: "the path of a file"
        }
    }
}

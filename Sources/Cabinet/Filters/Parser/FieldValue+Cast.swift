import Foundation

/// The parts from which `CAST` creates values.
///
/// ``init(castParts:as:)`` reads the result of ``castParts``.
extension FieldValue {
    /// The largest number of parts: those of a location.
    static let maximumCastParts = 8

    /// The parts from which a cast creates the value, or `nil` if it has a literal of its own, or no text.
    var castParts: [FieldValue?]? {
        switch self {
        case .string, .int64, .list, .encrypted: return nil
        case .double(let number):
            return number.isFinite ? nil : [.string(number.isNaN ? "nan" : number < 0 ? "-inf" : "inf")]
        case .timestamp(let date): return [.double(date.timeIntervalSinceReferenceDate)]
        case .bytes(let data): return [.string(data.base64EncodedString())]
        case .reference(let reference): return reference.castParts.map(FieldValue.string)
        case .location(let location): return location.castParts
        case .asset(let asset):
            switch asset.content {
            case .stored(let stored, _): return [.string(stored.checksum.description), .int64(stored.size)]
            case .data(let data): return [.string(data.base64EncodedString())]
            case .file, .namedFile: return nil
            }
        }
    }

    /// Creates a value of a type from its parts.
    init?(castParts parts: [FieldValue?], as type: FieldType.Scalar) {
        switch (type, parts.first, parts.count) {
        case (.double, .string("inf"), 1): self = .double(.infinity)
        case (.double, .string("-inf"), 1): self = .double(-.infinity)
        case (.double, .string("nan"), 1): self = .double(.nan)
        case (.timestamp, let seconds??, 1):
            guard let seconds = seconds.castNumber else { return nil }
            self = .timestamp(Date(timeIntervalSinceReferenceDate: seconds))
        case (.bytes, .string(let text), 1):
            guard let data = Data(base64Encoded: text) else { return nil }
            self = .bytes(data)
        case (.reference, _, _):
            guard let reference = Reference(castParts: parts) else { return nil }
            self = .reference(reference)
        case (.location, _, _):
            guard let location = Location(castParts: parts) else { return nil }
            self = .location(location)
        case (.asset, .string(let text), 1):
            guard let data = Data(base64Encoded: text) else { return nil }
            self = .asset(Asset(data: data))
        case (.asset, .string(let text), 2):
            guard let checksum = Asset.Checksum(hexadecimal: text), case .int64(let size)? = parts[1] else {
                return nil
            }
            self = .asset(Asset(StoredAsset(checksum: checksum, size: size)))
        default:
            return nil
        }
    }

    fileprivate var castNumber: Double? {
        switch self {
        case .double(let number): number
        case .int64(let number): Double(number)
        default: nil
        }
    }
}

extension Reference {
    private static let actions: KeyValuePairs<String, Action> = [
        "none": .none, "deleteSelf": .deleteSelf, "nullify": .nullify, "deny": .deny,
    ]

    /// The record name, the action, the zone's name and its owner, without the defaults at the end.
    fileprivate var castParts: [String] {
        let name = recordID.recordName
        let zoneID = recordID.zoneID
        let rule = Self.actions.first { $0.value == action }?.key ?? ""
        if !zoneID.ownerName.hasSameScalars(as: RecordZone.ID.defaultOwnerName) {
            return [name, rule, zoneID.zoneName, zoneID.ownerName]
        }
        if zoneID != .default { return [name, rule, zoneID.zoneName] }
        return action == .none ? [name] : [name, rule]
    }

    fileprivate init?(castParts parts: [FieldValue?]) {
        let texts = parts.compactMap { part -> String? in if case .string(let text)? = part { text } else { nil } }
        guard (1...4).contains(texts.count), texts.count == parts.count else { return nil }
        var action = Action.none
        if texts.count > 1 {
            guard let named = Self.actions.first(where: { $0.key == texts[1] })?.value else { return nil }
            action = named
        }
        let zoneID = RecordZone.ID(
            zoneName: texts.count > 2 ? texts[2] : RecordZone.ID.defaultZoneName,
            ownerName: texts.count > 3 ? texts[3] : RecordZone.ID.defaultOwnerName)
        self.init(recordID: RecordID(recordName: texts[0], zoneID: zoneID), action: action)
    }
}

extension Location {
    /// The components in the order of the initializer, without those at the end that are nil.
    fileprivate var castParts: [FieldValue?] {
        let numbers = [latitude, longitude, altitude, horizontalAccuracy, verticalAccuracy, course, speed]
        var parts = numbers.map { $0.map(FieldValue.double) } + [timestamp.map(FieldValue.timestamp)]
        while let last = parts.last, last == nil { parts.removeLast() }
        return parts
    }

    fileprivate init?(castParts parts: [FieldValue?]) {
        guard (2...FieldValue.maximumCastParts).contains(parts.count) else { return nil }
        var numbers: [Double?] = []
        for part in parts.prefix(7) {
            guard let part else {
                numbers.append(nil)
                continue
            }
            guard let number = part.castNumber else { return nil }
            numbers.append(number)
        }
        numbers += Array(repeating: nil, count: 7 - numbers.count)
        var date: Date?
        if parts.count == FieldValue.maximumCastParts, let part = parts[7] {
            guard case .timestamp(let timestamp) = part else { return nil }
            date = timestamp
        }
        guard let latitude = numbers[0], let longitude = numbers[1] else { return nil }
        self.init(
            latitude: latitude, longitude: longitude, altitude: numbers[2], horizontalAccuracy: numbers[3],
            verticalAccuracy: numbers[4], course: numbers[5], speed: numbers[6], timestamp: date)
    }
}

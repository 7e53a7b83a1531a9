import Cabinet
import Foundation

/// Lists as PostgreSQL arrays, which ``Layout`` describes.
extension FieldList {
    /// Reads a list from its column, and from the column with its actions.
    ///
    /// - Returns: `nil` if the columns do not hold a valid list.
    init?(_ type: FieldType.Scalar, from row: QueryRow, at index: Int, in zoneID: RecordZone.ID) {
        func all<Stored, Element>(_ values: [Stored?]?, _ element: (Stored) -> Element?) -> [Element]? {
            guard let values else { return nil }
            let elements = values.compactMap { $0.flatMap(element) }
            return elements.count == values.count ? elements : nil
        }
        let list: FieldList? =
            switch type {
            case .string: all(row.texts(index), StoredText.decoded).map(FieldList.string)
            case .int64: all(row.integers(index)) { $0 }.map(FieldList.int64)
            case .double: all(row.doubles(index)) { $0 }.map(FieldList.double)
            case .timestamp:
                all(row.doubles(index), Date.init(timeIntervalSinceReferenceDate:)).map(FieldList.timestamp)
            case .bytes: all(row.byteLists(index)) { $0 }.map(FieldList.bytes)
            case .reference: Self.references(row.texts(index), row.integers(index + 1), in: zoneID)
            case .location: Self.locations(row.doubles(index))
            case .asset: all(row.texts(index)) { StoredAsset($0).map { Asset($0) } }.map(FieldList.asset)
            }
        guard let list else { return nil }
        self = list
    }

    private static func references(_ names: [String?]?, _ actions: [Int64?]?, in zoneID: RecordZone.ID) -> FieldList? {
        guard let names, let actions, names.count == actions.count else { return nil }
        var references: [Reference] = []
        for case (let name?, let number?) in zip(names, actions) {
            guard let action = Reference.Action(rawValue: Int(clamping: number)) else { return nil }
            let target = RecordID(recordName: StoredText.decoded(name), zoneID: zoneID)
            references.append(Reference(recordID: target, action: action))
        }
        return references.count == names.count ? .reference(references) : nil
    }

    private static func locations(_ numbers: [Double?]?) -> FieldList? {
        guard let numbers, numbers.count.isMultiple(of: Layout.locationLength) else { return nil }
        var locations: [Location] = []
        for start in stride(from: 0, to: numbers.count, by: Layout.locationLength) {
            guard let location = Location(Array(numbers[start..<start + Layout.locationLength])) else { return nil }
            locations.append(location)
        }
        return .location(locations)
    }
}

extension Location {
    /// The location's numbers, in the order of its column.
    var storedNumbers: [Double?] {
        [
            latitude, longitude, altitude, horizontalAccuracy, verticalAccuracy, course, speed,
            timestamp?.timeIntervalSinceReferenceDate,
        ]
    }

    /// Creates a location from its numbers; `nil` unless there are eight, with a latitude and a longitude.
    init?(_ numbers: [Double?]) {
        guard numbers.count == Layout.locationLength, let latitude = numbers[0], let longitude = numbers[1] else {
            return nil
        }
        self.init(
            latitude: latitude, longitude: longitude, altitude: numbers[2], horizontalAccuracy: numbers[3],
            verticalAccuracy: numbers[4], course: numbers[5], speed: numbers[6],
            timestamp: numbers[7].map(Date.init(timeIntervalSinceReferenceDate:)))
    }
}

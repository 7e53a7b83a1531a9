import Cabinet
import CoreLocation
import Foundation

extension FieldValue {
    /// Creates the stored value of an object that a program sets, or returns `nil` if no field can hold it.
    init?(object: Any) {
        switch object {
        case let reference as CKReference: self = .reference(reference.value)
        case let record as CKRecord: self = .reference(Reference(recordID: record.recordID.value, action: .none))
        case let id as CKRecordID: self = .reference(Reference(recordID: id.value, action: .none))
        case let asset as CKAsset: self = .asset(asset.value)
        case let location as CLLocation: self = .location(Location(location))
        // Cabinet's fields hold both as text, and CloudKit's do not.
        case is URL, is UUID: return nil
        case let value as any RecordValue:
            guard let value = value.fieldValue else { return nil }
            self = value
        case let list as [Any]: self.init(list: list, type: type(of: object))
        case let text as Substring: self = .string(String(text))
        case let number as CGFloat: self = .double(Double(number))
        case let text as NSString: self = .string("\(text)")
        case let date as NSDate: self = .timestamp(date as Date)
        case let data as NSData: self = .bytes(data as Data)
        default: return nil
        }
    }

    private init?(list: [Any], type: Any.Type) {
        guard !list.isEmpty else {
            self = .list(FieldList(emptyArrayOf: type))
            return
        }
        // Whole numbers beside fractions become doubles.
        if let numbers = list as? [NSNumber] {
            guard let value = numbers.fieldValue else { return nil }
            self = value
            return
        }
        let values = list.compactMap { FieldValue(object: $0) }
        guard values.count == list.count, let first = values.first else { return nil }
        let type = first.fieldType
        guard !type.isList, let fields = FieldList(values, of: type.scalar) else { return nil }
        self = .list(fields)
    }

    /// The value as a program reads it: a number as `NSNumber`, a list as an array.
    var object: any CKRecordValueProtocol {
        switch self {
        case .string(let value): value
        case .int64(let value): NSNumber(value: value)
        case .double(let value): NSNumber(value: value)
        case .timestamp(let value): value
        case .bytes(let value): value
        case .encrypted(let value): value.ciphertext ?? Data()
        case .reference(let value): CKReference(value)
        case .location(let value): CLLocation(value)
        case .asset(let value): CKAsset(value)
        case .list(.string(let values)): values
        case .list(.int64(let values)): values.map(NSNumber.init(value:))
        case .list(.double(let values)): values.map(NSNumber.init(value:))
        case .list(.timestamp(let values)): values
        case .list(.bytes(let values)): values
        case .list(.reference(let values)): values.map(CKReference.init)
        case .list(.location(let values)): values.map { CLLocation($0) }
        case .list(.asset(let values)): values.map(CKAsset.init)
        }
    }
}

extension FieldList {
    /// Creates the empty list of an array's type, which no element shows.
    fileprivate init(emptyArrayOf type: Any.Type) {
        switch type {
        case is [CKReference].Type: self = .reference([])
        case is [CKAsset].Type: self = .asset([])
        case is [CLLocation].Type: self = .location([])
        // Arrays of other types are values of Cabinet, and do not come here.
        default: self = .string([])
        }
    }
}

extension Location {
    /// Creates a stored location.
    init(_ location: CLLocation) {
        self.init(
            coreLocation: (
                location.coordinate.latitude, location.coordinate.longitude, location.altitude,
                location.horizontalAccuracy, location.verticalAccuracy, location.course, location.speed,
                location.timestamp
            ))
    }
}

extension CLLocation {
    /// Creates a location from a stored one.
    convenience init(_ location: Location) {
        let numbers = location.coreLocation
        self.init(
            coordinate: CLLocationCoordinate2D(latitude: numbers.latitude, longitude: numbers.longitude),
            altitude: numbers.altitude, horizontalAccuracy: numbers.horizontalAccuracy,
            verticalAccuracy: numbers.verticalAccuracy, course: numbers.course, speed: numbers.speed,
            timestamp: numbers.timestamp)
    }
}

/// Returns a stand-in for an object that no field can hold, which the record refuses when it is saved.
func unsupportedValue(of object: Any) -> any RecordValue {
    func value<Object>(_ type: Object.Type) -> any RecordValue { Unsupported<Object>() }
    return _openExistential(type(of: object), do: value)
}

/// A value that no field can hold.
///
/// The error of the save names the type, and so that of the program's object.
private struct Unsupported<Object>: RecordValue {
    static var fieldType: FieldType { .string }
    var fieldValue: FieldValue? { nil }

    init() {}

    init?(fieldValue: FieldValue) { return nil }
}

import Cabinet
import Foundation

/// The bytes of a value, the same for equal values in every store.
struct CanonicalBytes {
    private(set) var bytes: [UInt8] = []

    mutating func add(_ number: Int64) {
        withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
    }

    mutating func add(_ number: Double) {
        // Zeros are equal regardless of their sign, and so are all values that are not a number.
        let bits = number.isNaN ? Double.nan.bitPattern : number == 0 ? 0 : number.bitPattern
        add(Int64(bitPattern: bits))
    }

    mutating func add(_ text: String) {
        add(Int64(text.utf8.count))
        bytes.append(contentsOf: text.utf8)
    }

    mutating func add(_ data: some Collection<UInt8>) {
        add(Int64(data.count))
        bytes.append(contentsOf: data)
    }

    mutating func add(_ date: Date) { add(date.timeIntervalSinceReferenceDate) }

    mutating func add<Value>(_ value: Value?, _ add: (inout CanonicalBytes, Value) -> Void) {
        bytes.append(value == nil ? 0 : 1)
        if let value { add(&self, value) }
    }

    mutating func add(_ id: RecordZone.ID) {
        add(id.zoneName)
        add(id.ownerName)
    }

    mutating func add(_ id: RecordID) {
        add(id.recordName)
        add(id.zoneID)
    }

    mutating func add(_ value: FieldValue) {
        add(value.fieldType.description)
        switch value {
        case .string(let value): add(value)
        case .int64(let value): add(value)
        case .double(let value): add(value)
        case .timestamp(let value): add(value)
        case .bytes(let value): add(value)
        case .reference(let value):
            add(value.recordID)
            add("\(value.action)")
        case .location(let value): add(value)
        case .asset(let value): add(value.stored?.description ?? "")
        case .encrypted(let value): add(value.ciphertext ?? Data())
        case .list(let list):
            let elements = list.elements
            add(Int64(elements.count))
            for element in elements { add(element) }
        }
    }

    private mutating func add(_ location: Location) {
        add(location.latitude)
        add(location.longitude)
        for number in [
            location.altitude, location.horizontalAccuracy, location.verticalAccuracy, location.course, location.speed,
            location.timestamp?.timeIntervalSinceReferenceDate,
        ] {
            add(number) { $0.add($1) }
        }
    }

    mutating func add(_ record: StoredRecord) {
        add(record.recordID)
        add(record.recordType)
        add(record.sequenceNumber)
        add(record.creationDate)
        add(record.creatorName)
        add(record.modificationDate)
        add(record.lastModifierName)
        add(record.parentName) { $0.add($1) }
        var fields: [(key: String, value: FieldValue)] = []
        record.fields.forEach { fields.append(($0, $1)) }
        fields.sort { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
        add(Int64(fields.count))
        for (key, value) in fields {
            add(key)
            add(value)
        }
    }

    mutating func add(_ stored: StoredSubscription) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        add(stored.userName)
        add(try encoder.encode(stored.subscription))
    }
}

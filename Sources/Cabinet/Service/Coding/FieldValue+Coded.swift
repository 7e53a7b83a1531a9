import Foundation

/// The coding of a field's value is the shortest one that keeps its type.
///
/// A text and a number stand for themselves; a DOUBLE has a fraction or an exponent, and an INT64 has none. Other values are objects
/// of one key that names the type.
extension FieldValue: Coded {
    static func read(from reader: inout JSONReader) throws(CabinetError) -> FieldValue {
        switch reader.kind {
        case .text, .escapedText: return .string(try reader.readText())
        case .integer: return .int64(try reader.readInt64())
        case .number: return .double(try reader.readDouble())
        default: return try readTagged(from: &reader)
        }
    }

    private static func readTagged(from reader: inout JSONReader) throws(CabinetError) -> FieldValue {
        var value: FieldValue?
        guard reader.count == 1 else { throw reader.unexpected("the value of a field") }
        try reader.members { reader, key throws(CabinetError) in
            value =
                switch key {
                case "timestamp": .timestamp(try .read(from: &reader))
                case "reference": .reference(try .read(from: &reader))
                case "bytes": .bytes(try .read(from: &reader))
                case "double": .double(try .read(from: &reader))
                case "location": .location(try .read(from: &reader))
                case "asset": .asset(try .read(from: &reader))
                case "stringList": .list(.string(try .read(from: &reader)))
                case "int64List": .list(.int64(try .read(from: &reader)))
                case "doubleList": .list(.double(try .read(from: &reader)))
                case "timestampList": .list(.timestamp(try .read(from: &reader)))
                case "bytesList": .list(.bytes(try .read(from: &reader)))
                case "referenceList": .list(.reference(try .read(from: &reader)))
                case "locationList": .list(.location(try .read(from: &reader)))
                case "assetList": .list(.asset(try .read(from: &reader)))
                case "encrypted": .encrypted(try .read(from: &reader))
                default: throw reader.unexpected("the value of a field")
                }
        }
        guard let value else { throw reader.unexpected("the value of a field") }
        return value
    }

    func write(to writer: inout JSONWriter) throws(CabinetError) {
        switch self {
        case .string(let value): writer.write(value)
        case .int64(let value): writer.write(value)
        case .double(let value) where value.isFinite: writer.write(value)
        case .double(let value): try writer.object("double", value)
        case .timestamp(let value): try writer.object("timestamp", value)
        case .bytes(let value): try writer.object("bytes", value)
        case .reference(let value): try writer.object("reference", value)
        case .location(let value): try writer.object("location", value)
        case .asset(let value): try writer.object("asset", value)
        case .list(.string(let values)): try writer.object("stringList", values)
        case .list(.int64(let values)): try writer.object("int64List", values)
        case .list(.double(let values)): try writer.object("doubleList", values)
        case .list(.timestamp(let values)): try writer.object("timestampList", values)
        case .list(.bytes(let values)): try writer.object("bytesList", values)
        case .list(.reference(let values)): try writer.object("referenceList", values)
        case .list(.location(let values)): try writer.object("locationList", values)
        case .list(.asset(let values)): try writer.object("assetList", values)
        case .encrypted(let value): try writer.object("encrypted", value)
        }
    }
}

extension JSONWriter {
    /// Writes an object with one member.
    mutating func object(_ key: StaticString, _ value: some Coded) throws(CabinetError) {
        try object { writer throws(CabinetError) in
            writer.key(key)
            try value.write(to: &writer)
        }
    }
}

extension Reference: Coded {
    private struct Parts: CodedObject {
        var name = ""
        var zone: RecordZone.ID?
        var action: Reference.Action?

        mutating func code(with coder: inout some ObjectCoder) throws(CabinetError) {
            try coder.part("name", &name)
            try coder.part("zone", &zone)
            try coder.part("action", &action)
        }
    }

    static func read(from reader: inout JSONReader) throws(CabinetError) -> Reference {
        let parts = try Parts.read(from: &reader)
        return Reference(
            recordID: RecordID(recordName: parts.name, zoneID: parts.zone ?? .default), action: parts.action ?? .none)
    }

    func write(to writer: inout JSONWriter) throws(CabinetError) {
        var parts = Parts(name: recordID.recordName)
        if recordID.zoneID != .default { parts.zone = recordID.zoneID }
        if action != .none { parts.action = action }
        try parts.write(to: &writer)
    }
}

extension Reference.Action: Coded {}

/// An encrypted value is coded by its type and its ciphertext; a value that was not encrypted has no coding.
extension EncryptedValue: Coded {
    private struct Parts: CodedObject {
        var type = FieldType.encryptedBytes
        var ciphertext = Data()

        mutating func code(with coder: inout some ObjectCoder) throws(CabinetError) {
            try coder.part("type", &type)
            try coder.part("ciphertext", &ciphertext)
        }
    }

    static func read(from reader: inout JSONReader) throws(CabinetError) -> EncryptedValue {
        let parts = try Parts.read(from: &reader)
        guard let value = EncryptedValue(parts.type, ciphertext: parts.ciphertext) else {
            throw reader.unexpected("the value of an encrypted field before here")
        }
        return value
    }

    func write(to writer: inout JSONWriter) throws(CabinetError) {
        guard let ciphertext else {
            throw CabinetError(.invalidArguments, "A value of type \(fieldType) was not encrypted.")
        }
        try Parts(type: fieldType, ciphertext: ciphertext).write(to: &writer)
    }
}

extension Location: CodedObject {
    init() {
        self.init(latitude: 0, longitude: 0)
    }

    mutating func code(with coder: inout some ObjectCoder) throws(CabinetError) {
        try coder.part("latitude", &latitude)
        try coder.part("longitude", &longitude)
        try coder.part("altitude", &altitude)
        try coder.part("horizontalAccuracy", &horizontalAccuracy)
        try coder.part("verticalAccuracy", &verticalAccuracy)
        try coder.part("course", &course)
        try coder.part("speed", &speed)
        try coder.part("timestamp", &timestamp)
    }
}

/// An asset is coded by its checksum and size: a file means nothing on another machine.
extension Asset: Coded {
    static func read(from reader: inout JSONReader) throws(CabinetError) -> Asset {
        Asset(try StoredAsset.read(from: &reader))
    }

    func write(to writer: inout JSONWriter) throws(CabinetError) {
        guard let stored else {
            throw CabinetError(
                .invalidArguments, "The asset '\(self)' was not uploaded. Upload its bytes before the record is saved.")
        }
        stored.write(to: &writer)
    }
}

/// Fields are an object of their values; a field without a value is null.
extension FieldValues: Coded {
    static func read(from reader: inout JSONReader) throws(CabinetError) -> FieldValues {
        let names = try reader.readFieldNames()
        var values: [FieldValue?] = []
        values.reserveCapacity(names.count)
        try reader.memberValues { reader throws(CabinetError) in
            values.append(try FieldValue?.read(from: &reader))
        }
        return FieldValues(names: names, values: values)
    }

    func write(to writer: inout JSONWriter) throws(CabinetError) {
        try writer.object { writer throws(CabinetError) in
            for (position, name) in names.names.enumerated() {
                writer.key(name)
                try values[position].write(to: &writer)
            }
        }
    }
}

extension StoredAsset: Coded {
    static func read(from reader: inout JSONReader) throws(CabinetError) -> StoredAsset {
        guard let asset = StoredAsset(try reader.readText()) else {
            throw reader.unexpected("a checksum and a size before here")
        }
        return asset
    }

    func write(to writer: inout JSONWriter) { writer.write(description) }
}

extension StoredAsset: ServiceValue {
    /// The coding as JSON.
    public static var coding: ServiceCoding<Self> { ServiceCoding() }
}

import Cabinet
import Foundation

/// Encodes lists and locations as JSON, which the shell shows and SQL's JSON functions read.
///
/// Text is a string and an integer is a number. A fraction has as many digits as are needed to restore it exactly. The
/// infinities, which JSON does not support, are `"inf"` and `"-inf"`. A date is the number of seconds since 2001, and
/// bytes are base64. A reference is `{"action":1,"name":"…"}`, and a location is an object with its components.
enum ListCoding {
    /// A reference in a list.
    ///
    /// Its target is in the zone of the record that contains the list.
    private struct CodedReference: Codable {
        let name: String
        let action: Reference.Action
    }

    private static let encoder: JSONEncoder = {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.nonConformingFloatEncodingStrategy =
            .convertToString(positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        return encoder
    }()

    private static let decoder: JSONDecoder = {
        let decoder = JSONDecoder()
        decoder.nonConformingFloatDecodingStrategy =
            .convertFromString(positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        return decoder
    }()

    /// Encodes a list.
    static func text(of list: FieldList) throws -> String {
        switch list {
        case .string(let values): try text(values)
        case .int64(let values): try text(values)
        case .double(let values): try text(values)
        case .timestamp(let values): try text(values.map(\.timeIntervalSinceReferenceDate))
        case .bytes(let values): try text(values)
        case .reference(let values):
            try text(values.map { CodedReference(name: $0.recordID.recordName, action: $0.action) })
        case .location(let values): try text(values)
        case .asset(let values): try text(values.compactMap { $0.stored?.description })
        }
    }

    /// Encodes a location.
    static func text(of location: Location) throws -> String {
        try text(location)
    }

    /// Decodes a list.
    ///
    /// - Throws: A `DecodingError` if the JSON is not a list of the type.
    static func list(
        of type: FieldType.Scalar, from text: UnsafeBufferPointer<UInt8>, in zoneID: RecordZone.ID
    ) throws -> FieldList {
        let data = Data(text)
        func values<Element: Decodable>(_ type: Element.Type) throws -> [Element] {
            try decoder.decode([Element].self, from: data)
        }
        switch type {
        case .string: return .string(try values(String.self))
        case .int64: return .int64(try values(Int64.self))
        case .double: return .double(try values(Double.self))
        case .timestamp: return .timestamp(try values(Double.self).map(Date.init(timeIntervalSinceReferenceDate:)))
        case .bytes: return .bytes(try values(Data.self))
        case .reference:
            return .reference(
                try values(CodedReference.self).map {
                    Reference(recordID: RecordID(recordName: $0.name, zoneID: zoneID), action: $0.action)
                })
        case .location: return .location(try values(Location.self))
        case .asset: return .asset(try values(String.self).compactMap(StoredAsset.init).map(Asset.init))
        }
    }

    /// Decodes a location.
    static func location(from text: UnsafeBufferPointer<UInt8>) throws -> Location {
        try decoder.decode(Location.self, from: Data(text))
    }

    private static func text(_ value: some Encodable) throws -> String {
        String(decoding: try encoder.encode(value), as: UTF8.self)
    }
}

import CabinetTesting
import Foundation

@testable import Cabinet

/// Any JSON value, with which the reader and the writer are held against Foundation's.
indirect enum AnyJSON: Coded, Equatable {
    case null
    case bool(Bool)
    case int(Int64)
    case double(Double)
    case text(String)
    case array([AnyJSON])
    case object([String: AnyJSON])

    static func read(from reader: inout JSONReader) throws(CabinetError) -> AnyJSON {
        switch reader.kind {
        case .null:
            _ = reader.readNull()
            return .null
        case .yes, .no: return .bool(try reader.readBool())
        case .integer: return .int(try reader.readInt64())
        case .number: return .double(try reader.readDouble())
        case .text, .escapedText: return .text(try reader.readText())
        case .array: return .array(try [AnyJSON].read(from: &reader))
        case .object: return .object(try CodedDictionary<AnyJSON>.read(from: &reader).values)
        case .end: throw reader.unexpected("a value")
        }
    }

    func write(to writer: inout JSONWriter) throws(CabinetError) {
        switch self {
        case .null: writer.writeNull()
        case .bool(let value): writer.write(value)
        case .int(let value): writer.write(value)
        case .double(let value): writer.write(value)
        case .text(let value): writer.write(value)
        case .array(let values): try values.write(to: &writer)
        case .object(let values): try CodedDictionary(values).write(to: &writer)
        }
    }

    var json: [UInt8] {
        get throws {
            var writer = JSONWriter()
            try write(to: &writer)
            return writer.bytes
        }
    }

    init(_ json: [UInt8]) throws {
        var reader = try JSONReader(json)
        self = try .read(from: &reader)
    }

    /// The value as Foundation has it.
    var foundation: Any {
        switch self {
        case .null: NSNull()
        case .bool(let value): value
        case .int(let value): value
        case .double(let value): value
        case .text(let value): value
        case .array(let values): values.map(\.foundation)
        case .object(let values): values.mapValues(\.foundation)
        }
    }

    /// Whether Foundation's value is this one; a number without a fraction is equal as either kind.
    func isEqual(_ other: Any?) -> Bool {
        switch self {
        case .null: other is NSNull
        case .bool(let value): other as? Bool == value
        case .int(let value): (other as? NSNumber)?.int64Value == value
        // Foundation keeps the decimal digits, and rounds them less well than Swift.
        case .double(let value): (other as? NSNumber).flatMap { Double("\($0)") } == value
        case .text(let value): (other as? String)?.utf8.elementsEqual(value.utf8) ?? false
        case .array(let values):
            (other as? [Any]).map { $0.count == values.count && zip(values, $0).allSatisfy { $0.isEqual($1) } } ?? false
        case .object(let values):
            (other as? [String: Any]).map { other in
                other.count == values.count && values.allSatisfy { $1.isEqual(other[$0]) }
            } ?? false
        }
    }

    /// Makes a value up.
    static func random(depth: Int = 4, using random: inout SeededGenerator) -> AnyJSON {
        switch Int.random(in: 0..<(depth > 0 ? 9 : 6), using: &random) {
        case 0: return .null
        case 1: return .bool(.random(using: &random))
        case 2:
            return .int(
                Int64(bitPattern: .random(in: 0 ... .max, using: &random)) >> Int64.random(in: 0..<64, using: &random))
        case 3: return .double(randomDouble(using: &random))
        case 4, 5: return .text(randomText(using: &random))
        case 6, 7:
            return .array(
                (0..<Int.random(in: 0..<5, using: &random)).map { _ in .random(depth: depth - 1, using: &random) })
        default:
            let members = (0..<Int.random(in: 0..<5, using: &random)).map { _ in
                (randomText(using: &random), AnyJSON.random(depth: depth - 1, using: &random))
            }
            return .object(Dictionary(members, uniquingKeysWith: { first, _ in first }))
        }
    }

    private static func randomDouble(using random: inout SeededGenerator) -> Double {
        let number = Double(bitPattern: .random(in: 0 ... .max, using: &random))
        return number.isFinite ? number : Double(Int.random(in: -9...9, using: &random)) / 4
    }

    private static func randomText(using random: inout SeededGenerator) -> String {
        let ranges: [ClosedRange<UInt32>] = [
            0...0x1F, 0x20...0x7E, 0x22...0x22, 0x5C...0x5C, 0x2F...0x2F, 0x7F...0x9F, 0x300...0x36F, 0x800...0xD7FF,
            0xE000...0xFFFF, 0x1_F600...0x1_F64F, 0x10_0000...0x10_FFFF,
        ]
        var text = ""
        for _ in 0..<Int.random(in: 0..<8, using: &random) {
            let range = ranges[Int.random(in: ranges.indices, using: &random)]
            if let scalar = Unicode.Scalar(UInt32.random(in: range, using: &random)) {
                text.unicodeScalars.append(scalar)
            }
        }
        return text
    }
}

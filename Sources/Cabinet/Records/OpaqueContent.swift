import Foundation

/// The content of a value that a program stores as one string: JSON in Base64.
///
/// The string does not depend on the strategies of the program's encoder, which may round dates or refuse infinities.
protocol OpaqueContent: Codable {
    /// The name of such values in errors.
    static var name: String { get }
    /// The version of the content.
    static var currentVersion: Int { get }
    var version: Int { get }
    /// The fault of the content, as the end of a sentence; `nil` if it has none.
    var fault: String? { get }
}

extension OpaqueContent {
    /// Decodes the content of one string.
    ///
    /// - Throws: `DecodingError` if it is not the content of such a value, or is of another version.
    init(opaqueFrom decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        func corrupted(_ message: String, _ cause: (any Error)? = nil) -> DecodingError {
            DecodingError.dataCorrupted(
                DecodingError.Context(
                    codingPath: container.codingPath, debugDescription: "The data is not \(Self.name): \(message)",
                    underlyingError: cause))
        }
        guard let data = Data(base64Encoded: text) else { throw corrupted("it is not Base64") }
        let json = JSONDecoder()
        json.nonConformingFloatDecodingStrategy = .convertFromString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        do {
            self = try json.decode(Self.self, from: data)
        } catch {
            throw corrupted("its content cannot be read", error)
        }
        guard version == Self.currentVersion else {
            throw corrupted("it is of version \(version), and this program reads version \(Self.currentVersion)")
        }
        if let fault { throw corrupted(fault) }
    }

    /// Encodes the content as one string.
    func encodeOpaque(to encoder: any Encoder) throws {
        let json = JSONEncoder()
        json.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        json.outputFormatting = .sortedKeys
        var container = encoder.singleValueContainer()
        try container.encode(try json.encode(self).base64EncodedString())
    }
}

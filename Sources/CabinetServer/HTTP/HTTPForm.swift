package import Foundation

/// The fields of a form that a page has sent.
package struct HTTPForm: Sendable {
    private var fields: [(name: String, value: String)] = []

    /// The number of bytes that a form has at most.
    package static let maximumSize = 4 << 20
    /// The number of fields that a form has at most: those of a record with a thousand fields, each with its earlier value.
    private static let maximumCount = 4_096

    /// Reads the body of a request.
    ///
    /// - Throws: `HTTPError` with the status 415 for another type, 413 if it is too long, and 400 if it is malformed.
    package init(_ request: HTTPRequest) async throws {
        let type = request.headerFields[.contentType] ?? ""
        guard type.lowercased().hasPrefix("application/x-www-form-urlencoded") else {
            throw HTTPError(.unsupportedMediaType, "The body is not a form.")
        }
        try self.init(try await request.body.collect(upTo: Self.maximumSize))
    }

    /// Reads the bytes of a form.
    package init(_ bytes: Data) throws(HTTPError) {
        let text = String(decoding: bytes, as: UTF8.self)
        for part in text.utf8.split(separator: UInt8(ascii: "&")) {
            guard fields.count < Self.maximumCount else {
                throw HTTPError(.contentTooLarge, "The form has too many fields.")
            }
            let sides = part.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            fields.append((try Self.decoded(sides[0]), sides.count > 1 ? try Self.decoded(sides[1]) : ""))
        }
    }

    private static func decoded(_ bytes: Substring.UTF8View) throws(HTTPError) -> String {
        guard let text = String(Substring(bytes)).replacing("+", with: " ").removingPercentEncoding else {
            throw HTTPError(.badRequest, "The form is malformed.")
        }
        // Browsers send each line end of a text as two characters.
        return text.utf8.contains(0x0D) ? text.replacing("\r\n", with: "\n") : text
    }

    /// The value of a field; empty if the form lacks it.
    package subscript(name: String) -> String { fields.first { $0.name == name }?.value ?? "" }

    /// The fields whose names begin with a prefix, without it.
    package func fields(after prefix: String) -> [String: String] {
        var found: [String: String] = [:]
        for field in fields where field.name.hasPrefix(prefix) {
            found[String(field.name.dropFirst(prefix.count))] = field.value
        }
        return found
    }
}

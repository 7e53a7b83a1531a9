public import Foundation

/// The fields of a form that a page has sent.
///
/// ```swift
/// let form = try await HTTPForm(request, filesUpTo: 8 << 20)
/// let title = form["title"]
/// let picture = form.file("picture")?.url
/// ```
public struct HTTPForm: Sendable {
    /// A file that a person has chosen.
    public struct File: Sendable {
        /// The name of its field.
        public let field: String
        /// The name of the file on the person's machine; any text.
        public let name: String
        /// The number of bytes.
        public let size: Int64
        let file: UploadFolder.StoredFile

        /// The bytes, in a temporary file that exists as long as the form or another copy of this value.
        public var url: URL { file.url }
    }

    private var fields: [(name: String, value: String)] = []
    private var folder: UploadFolder?

    /// The files that the person has chosen.
    public private(set) var files: [File] = []

    /// The number of bytes that the texts of a form have at most.
    package static let maximumSize = 4 << 20
    /// The number of fields that a form has at most: those of a record with a thousand fields, each with its earlier value.
    private static let maximumCount = 4_096

    /// Reads the body of a request.
    ///
    /// The bytes of files go to temporary files while they arrive.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - limit: The number of bytes that all files have at most; with 0, a form with files is refused.
    /// - Throws: ``HTTPError`` with the status 415 for another type, 413 if it is too long, and 400 if it is malformed; the errors of
    ///   the file system.
    public init(_ request: HTTPRequest, filesUpTo limit: Int64 = 0) async throws {
        let type = request.headerFields[.contentType] ?? ""
        if type.lowercased().hasPrefix("multipart/form-data"), limit > 0 {
            try self.init(Data())
            try await read(request.body, MultipartParser(contentType: type), limit)
        } else if type.lowercased().hasPrefix("application/x-www-form-urlencoded") {
            try self.init(try await request.body.collect(upTo: Self.maximumSize))
        } else {
            throw HTTPError(.unsupportedMediaType, "The body is not a form.")
        }
    }

    /// Reads the bytes of a form.
    package init(_ bytes: Data) throws(HTTPError) {
        let text = String(decoding: bytes, as: UTF8.self)
        for part in text.utf8.split(separator: UInt8(ascii: "&")) {
            let sides = part.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            try append(try Self.decoded(sides[0]), sides.count > 1 ? try Self.decoded(sides[1]) : "")
        }
    }

    private mutating func append(_ name: String, _ value: String) throws(HTTPError) {
        guard fields.count < Self.maximumCount else {
            throw HTTPError(.contentTooLarge, "The form has too many fields.")
        }
        // Browsers send each line end of a text as two characters.
        fields.append((name, value.utf8.contains(0x0D) ? value.replacing("\r\n", with: "\n") : value))
    }

    private static func decoded(_ bytes: Substring.UTF8View) throws(HTTPError) -> String {
        guard
            let text = String(
                decoding: bytes.map { $0 == UInt8(ascii: "+") ? UInt8(ascii: " ") : $0 }, as: UTF8.self
            ).removingPercentEncoding
        else {
            throw HTTPError(.badRequest, "The form is malformed.")
        }
        return text
    }

    /// The value of a field; empty if the form lacks it.
    public subscript(name: String) -> String { fields.first { $0.name == name }?.value ?? "" }

    /// Returns the first file of a field; `nil` if none was chosen.
    ///
    /// - Parameter field: The name of the field.
    public func file(_ field: String) -> File? { files.first { $0.field == field } }

    /// The fields whose names begin with a prefix, without it.
    package func fields(after prefix: String) -> [String: String] {
        var found: [String: String] = [:]
        for field in fields where field.name.hasPrefix(prefix) {
            found[String(field.name.dropFirst(prefix.count))] = field.value
        }
        return found
    }
}

extension HTTPForm {
    private enum Part {
        case nothing
        case text(name: String)
        case file(UploadFolder.Writer)
    }

    private mutating func read(_ body: HTTPBody, _ parser: MultipartParser, _ limit: Int64) async throws {
        // The bytes of a text are beside its part, so that further ones are appended in place.
        var (parser, part, text) = (parser, Part.nothing, Data())
        var (left, leftForTexts) = (limit, Self.maximumSize)
        for try await chunk in body {
            for element in try parser.read(chunk) {
                switch element {
                case .part(let name, let fileName):
                    try finish(part, text)
                    part = try begin(name, fileName)
                    text = Data()
                case .bytes(let bytes):
                    switch part {
                    case .nothing: continue
                    case .text:
                        leftForTexts -= bytes.count
                        if leftForTexts < 0 { throw HTTPError(.contentTooLarge, "The texts of the form are too long.") }
                        text.append(bytes)
                    case .file(let writer):
                        left -= Int64(bytes.count)
                        if left < 0 {
                            throw HTTPError(.contentTooLarge, "The files have more than \(limit) bytes.")
                        }
                        try writer.write(bytes)
                    }
                }
            }
        }
        try parser.finish()
        try finish(part, text)
    }

    private mutating func begin(_ name: String?, _ fileName: String?) throws -> Part {
        guard let name else { return .nothing }
        guard let fileName else { return .text(name: name) }
        let folder = try folder ?? UploadFolder()
        self.folder = folder
        return .file(try folder.file(named: fileName, of: name))
    }

    private mutating func finish(_ part: Part, _ text: Data) throws {
        switch part {
        case .nothing: break
        case .text(let name): try append(name, String(decoding: text, as: UTF8.self))
        case .file(let writer):
            let file = try writer.finish()
            // Browsers send an empty file without a name if none was chosen.
            if !file.name.isEmpty || file.size > 0 { files.append(file) }
        }
    }
}

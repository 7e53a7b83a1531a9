import Foundation

/// Reads a form with files while its bytes arrive: `multipart/form-data`, by RFC 7578.
struct MultipartParser {
    /// A part of the form.
    enum Element: Equatable {
        /// The head of the next part; its name is `nil` if the part is not a field of a form.
        case part(name: String?, fileName: String?)
        /// Bytes of the part.
        case bytes(Data)
    }

    private enum State { case before, head, content, end }

    /// The largest number of parts of a form, and of bytes in the head of one.
    ///
    /// The expression that reads a head takes time that grows with the square of its length.
    static let (maximumCount, maximumHeadSize) = (4_096, 1_024)

    private let delimiter: Data
    // The first delimiter has no line before it.
    private var rest = Data("\r\n".utf8)
    private var state = State.before
    private var count = 0

    /// Begins to read a form.
    ///
    /// - Parameter contentType: The value of the request's `Content-Type`.
    /// - Throws: ``HTTPError`` with the status 400 if it names no boundary.
    init(contentType: String) throws(HTTPError) {
        guard let match = contentType.firstMatch(of: #/(?i)boundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))/#),
            let boundary = match.1 ?? match.2
        else { throw Self.malformed }
        delimiter = Data("\r\n--\(boundary)".utf8)
    }

    /// Reads the next bytes of the form.
    ///
    /// - Returns: The elements that end in them.
    /// - Throws: ``HTTPError`` with the status 400 if the form is malformed, and 413 if it has too many parts.
    mutating func read(_ chunk: Data) throws(HTTPError) -> [Element] {
        var elements: [Element] = []
        rest.append(chunk)
        while try next(&elements) {}
        // Without the bytes that were read, whose memory a slice would keep.
        rest = Data(rest)
        return elements
    }

    /// Throws if the form has not ended.
    func finish() throws(HTTPError) {
        guard state == .end else { throw Self.malformed }
    }

    /// Reads one element, or returns `false` if it needs further bytes.
    private mutating func next(_ elements: inout [Element]) throws(HTTPError) -> Bool {
        switch state {
        case .before, .content:
            guard let end = rest.range(of: delimiter) else {
                // The last bytes may be the beginning of a delimiter.
                let known = max(0, rest.count - delimiter.count + 1)
                if state == .content, known > 0 { elements.append(.bytes(Data(rest.prefix(known)))) }
                rest = rest.dropFirst(known)
                return false
            }
            // The next two bytes decide whether this is the last delimiter.
            guard rest.distance(from: end.upperBound, to: rest.endIndex) >= 2 else { return false }
            if state == .content, end.lowerBound > rest.startIndex {
                elements.append(.bytes(Data(rest[..<end.lowerBound])))
            }
            let mark = rest[end.upperBound...].prefix(2)
            rest = rest[mark.endIndex...]
            guard mark.elementsEqual("\r\n".utf8) || mark.elementsEqual("--".utf8) else { throw Self.malformed }
            state = mark.elementsEqual("--".utf8) ? .end : .head
            return state == .head
        case .head:
            guard let end = rest.prefix(Self.maximumHeadSize).range(of: Data("\r\n\r\n".utf8)) else {
                if rest.count >= Self.maximumHeadSize { throw Self.malformed }
                return false
            }
            count += 1
            if count > Self.maximumCount { throw HTTPError(.contentTooLarge, "The form has too many fields.") }
            elements.append(Self.part(String(decoding: rest[..<end.lowerBound], as: UTF8.self)))
            rest = rest[end.upperBound...]
            state = .content
            return true
        case .end:
            rest = Data()
            return false
        }
    }

    /// Reads the head of a part.
    private static func part(_ head: String) -> Element {
        let field = #/(?i)content-disposition:\s*form-data;[^\r\n]*?\bname=(?:"([^"]*)"|([^\s;"]+))/#
        let file = #/(?i)content-disposition:\s*form-data;[^\r\n]*?\bfilename=(?:"([^"]*)"|([^\s;"]+))/#
        // A mark beside a quotation mark would be a part of it.
        let name = head.firstMatch(of: field.matchingSemantics(.unicodeScalar))
        let fileName = head.firstMatch(of: file.matchingSemantics(.unicodeScalar))
        return .part(name: (name?.1 ?? name?.2).map(unescaped), fileName: (fileName?.1 ?? fileName?.2).map(unescaped))
    }

    /// The text of a name, in which browsers escape a quotation mark and line ends.
    private static func unescaped(_ name: Substring) -> String {
        String(name.replacing("%22", with: "\"").replacing("%0D", with: "\r").replacing("%0A", with: "\n"))
    }

    static let malformed = HTTPError(.badRequest, "The form is malformed.")
}

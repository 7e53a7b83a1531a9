import Foundation

/// A form with files, as browsers send it: `multipart/form-data`, by RFC 7578.
enum MultipartForm {
    /// The largest number of parts, and of bytes in the head of one.
    ///
    /// The expression that reads a head takes time that grows with the square of its length.
    private static let (maximumCount, maximumHeadSize) = (100, 1_024)

    /// Returns the content of the first part with a name.
    ///
    /// - Parameters:
    ///   - name: The name of the part.
    ///   - body: The whole form.
    ///   - contentType: The value of the request's `Content-Type`.
    /// - Throws: ``HTTPError`` with the status 400 if the form is malformed, or has no such part.
    static func part(_ name: String, of body: Data, contentType: String) throws -> Data {
        guard let match = contentType.firstMatch(of: #/(?i)boundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))/#),
            let boundary = match.1 ?? match.2
        else { throw malformed }
        let delimiter = Data("\r\n--\(boundary)".utf8)
        // The first delimiter has no line before it.
        var rest = Data("\r\n".utf8) + body
        for _ in 0..<maximumCount {
            guard let start = rest.range(of: delimiter) else { break }
            rest = rest[start.upperBound...]
            if rest.starts(with: Data("--".utf8)) { break }
            guard rest.starts(with: Data("\r\n".utf8)), let end = rest.range(of: delimiter),
                let headEnd = rest[..<end.lowerBound].prefix(maximumHeadSize).range(of: Data("\r\n\r\n".utf8))
            else { throw malformed }
            if self.name(in: String(decoding: rest[..<headEnd.lowerBound], as: UTF8.self)) == name {
                return Data(rest[headEnd.upperBound..<max(headEnd.upperBound, end.lowerBound)])
            }
            rest = rest[end.lowerBound...]
        }
        throw malformed
    }

    /// Returns the name of a part.
    private static func name(in head: String) -> String? {
        let field = #/(?i)content-disposition:\s*form-data;[^\r\n]*?\bname=(?:"([^"]*)"|([^\s;"]+))/#
        let match = head.firstMatch(of: field)
        return (match?.1 ?? match?.2).map(String.init)
    }

    private static let malformed = HTTPError(.badRequest, "The form has no part 'files'.")
}

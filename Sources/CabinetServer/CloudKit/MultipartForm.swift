import Foundation

/// A form that CloudKit's clients send with the bytes of an asset.
enum MultipartForm {
    /// Returns the content of the first part with a name.
    ///
    /// - Parameters:
    ///   - name: The name of the part.
    ///   - body: The whole form.
    ///   - contentType: The value of the request's `Content-Type`.
    /// - Throws: ``HTTPError`` with the status 400 if the form is malformed, or has no such part.
    static func part(_ name: String, of body: Data, contentType: String) throws(HTTPError) -> Data {
        var parser = try MultipartParser(contentType: contentType)
        var found: Data?
        var isFirst = true
        for element in try parser.read(body) {
            switch element {
            case .part(let other, _):
                if found != nil { isFirst = false }
                if other == name, found == nil { found = Data() }
            case .bytes(let bytes):
                if found != nil, isFirst { found?.append(bytes) }
            }
        }
        guard let found else { throw HTTPError(.badRequest, "The form has no part '\(name)'.") }
        try parser.finish()
        return found
    }
}

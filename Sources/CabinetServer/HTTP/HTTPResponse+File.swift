public import Foundation

extension HTTPResponse {
    /// Creates the response that sends a file, or the part of it that `Range` asks for.
    ///
    /// `If-None-Match` gives a 304 if the client has the version of `eTag`, and `If-Range` with another version gives the whole file.
    /// A range that begins beyond the end is a 416. Several ranges in one request give the whole file, as RFC 9110 allows.
    ///
    /// - Parameters:
    ///   - file: The file.
    ///   - contentType: The value of `Content-Type`.
    ///   - eTag: The version of the file, without quotation marks; it changes with each byte of the file.
    ///   - request: The request that is answered.
    /// - Throws: ``HTTPError`` with the status 404 if the file cannot be opened, or 500 if a value contains a control character.
    public init(file: URL, contentType: String, eTag: String? = nil, for request: HTTPRequest) throws {
        let eTag = eTag.map { "\"\($0)\"" }
        self.init()
        try headerFields.set(.eTag, to: eTag)
        try headerFields.set(.acceptRanges, to: "bytes")
        if let eTag, let known = request.headerFields[.ifNoneMatch],
            known.split(separator: ",").contains(where: { Self.version($0) == eTag })
        {
            status = .notModified
            return
        }
        let whole = try HTTPFile(at: file)
        let condition = request.headerFields[.ifRange]
        let isCurrent = condition == nil || condition == eTag
        let range = isCurrent ? request.headerFields[.range].flatMap { HTTPRange($0) } : nil
        try headerFields.set(.contentType, to: contentType)
        guard let range, request.method == .get else {
            content = .file(whole)
            return
        }
        guard let bytes = range.bytes(of: whole.size) else {
            self.init(reporting: HTTPError(.rangeNotSatisfiable, "The file has \(whole.size) bytes."))
            try headerFields.set(.contentRange, to: "bytes */\(whole.size)")
            return
        }
        status = .partialContent
        try headerFields.set(
            .contentRange, to: "bytes \(bytes.lowerBound)-\(bytes.upperBound - 1)/\(whole.size)")
        content = .file(HTTPFile(bytes, of: whole))
    }

    /// An element of `If-None-Match` without spaces and the mark of a weak comparison.
    private static func version(_ element: Substring) -> Substring {
        let element = element.drop { $0 == " " }.prefix { $0 != " " }
        return element.hasPrefix("W/") ? element.dropFirst(2) : element
    }
}

/// The value of a field `Range`, if it is one range of bytes.
struct HTTPRange: Equatable {
    /// The position of the first byte; `nil` counts from the end of the file.
    let first: Int64?
    /// The position of the last byte, or the number of bytes at the end; `nil` ends with the file.
    let last: Int64?

    /// Reads the value of `Range`.
    ///
    /// - Parameter value: The value. Other units, several ranges and anything malformed give `nil`: such a field is ignored.
    init?(_ value: String) {
        guard let match = value.wholeMatch(of: #/(?i:bytes)=([0-9]{0,18})-([0-9]{0,18})/#) else { return nil }
        first = Int64(match.1)
        last = Int64(match.2)
        if let first, let last, first > last { return nil }
        if first == nil, last == nil { return nil }
    }

    /// The bytes of a file that are asked for.
    ///
    /// - Parameter size: The length of the file.
    /// - Returns: The bytes, at least one; `nil` if the file has none of them.
    func bytes(of size: Int64) -> Range<Int64>? {
        let lower = first ?? max(0, size - (last ?? 0))
        let upper = first == nil ? size : min(size, (last ?? .max - 1) + 1)
        return lower < upper ? lower..<upper : nil
    }
}

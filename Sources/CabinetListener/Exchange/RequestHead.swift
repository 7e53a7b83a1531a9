import CMicroHTTPD
import CabinetServer

/// The head of a request, and the rules that libmicrohttpd does not check.
///
/// It takes two lengths, a length beside chunks, and unknown encodings for valid, and then reads the rest of the body as a second request.
/// Every request that could be read in two ways is refused here, before its handler is called or its body is read.
struct RequestHead {
    let method: HTTPRequest.Method?
    private(set) var fields = HTTPFields()
    /// The length of the body, unless it comes in chunks or does not exist.
    private(set) var bodyLength: Int64?
    /// Whether the body comes in chunks.
    private(set) var isChunked = false
    /// Whether the client waits for `100 Continue` before it sends the body.
    private(set) var expectsContinue = false
    private var hosts = 0
    private var encodings = 0
    private var lengths = 0
    private var cookies = 0
    /// The bytes that are left for the head of the response.
    private(set) var room = 0
    private var mistake: String?

    /// Reads the head of a request at the first call for it.
    init(
        of connection: OpaquePointer, in memory: ConnectionMemory, method: UnsafePointer<CChar>?,
        version: UnsafePointer<CChar>?, target: String
    ) {
        self.method = method.flatMap { HTTPRequest.Method(String(cString: $0)) }
        withUnsafeMutablePointer(to: &self) { head in
            _ = MHD_get_connection_values_n(
                connection, .HEADER_KIND,
                { head, _, name, nameLength, value, valueLength in
                    head?.assumingMemoryBound(to: RequestHead.self).pointee.read(
                        UnsafeRawBufferPointer(start: name, count: name == nil ? 0 : nameLength),
                        UnsafeRawBufferPointer(start: value, count: value == nil ? 0 : valueLength))
                    return .YES
                }, head)
        }
        room = memory.room(of: connection, cookies: cookies)
        checkRequestLine(target: target, version: version.map { String(cString: $0) } ?? "")
    }

    /// The reason to refuse the request; `nil` if it follows the rules.
    var refusal: HTTPError? {
        if room < ConnectionMemory.reserve {
            return HTTPError(
                .requestHeaderFieldsTooLarge,
                "The head is too long, or has too many fields, cookies and items of a query.")
        }
        return mistake.map { HTTPError(.badRequest, $0) }
    }

    private mutating func read(_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) {
        guard let name = HTTPField.Name(ascii: name) else {
            return refuse("The name of a header field has a character that is not allowed.")
        }
        guard value.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }) else {
            return refuse("The value of '\(name)' has a control character.")
        }
        let text = String(decoding: value, as: UTF8.self)
        fields.append(checked: name, value: text)
        // Most names are none of these, and differ in their length already.
        switch name.rawName.utf8.count {
        case 4 where name == .host:
            hosts += 1
            if !Self.isHost(value) { refuse("'Host' is not a name or an address with a port.") }
        case 6 where name == .expect: expectsContinue = true
        case 6 where name == .cookie: cookies += value.count + 16
        case 14 where name == .contentLength:
            lengths += 1
            guard (1...18).contains(text.utf8.count), text.utf8.allSatisfy({ (48...57).contains($0) }) else {
                return refuse("'Content-Length' is not a number of at most 18 digits.")
            }
            bodyLength = Int64(text)
        case 17 where name == .transferEncoding:
            encodings += 1
            isChunked = true
            // The number of bytes excludes the Kelvin sign, whose lowercase letter is a k.
            if text.utf8.count != 7 || text.lowercased() != "chunked" {
                refuse("'Transfer-Encoding' can only be 'chunked'.")
            }
        default: break
        }
    }

    /// Whether a text is a host with or without a port, as it stands in the URLs of answers: a name, or an address in brackets.
    private static func isHost(_ text: UnsafeRawBufferPointer) -> Bool {
        func isDigit(_ byte: UInt8) -> Bool { (48...57).contains(byte) }
        func isLetter(_ byte: UInt8) -> Bool { (97...122).contains(byte | 0x20) }
        let isAddress = text.first == UInt8(ascii: "[")
        let bracket = UInt8(ascii: "]")
        let end = isAddress ? text.firstIndex(of: bracket) : text.firstIndex(of: UInt8(ascii: ":")) ?? text.endIndex
        guard let end else { return false }
        let name = isAddress ? text[1..<end] : text[..<end]
        let rest = isAddress ? text[(end + 1)...] : text[end...]
        guard !name.isEmpty,
            name.allSatisfy({ byte in
                isDigit(byte) || isLetter(byte) || byte == UInt8(ascii: ".")
                    || (isAddress ? byte == UInt8(ascii: ":") : byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_"))
            })
        else { return false }
        return rest.isEmpty
            || rest.first == UInt8(ascii: ":") && rest.count <= 6 && rest.dropFirst().allSatisfy(isDigit)
    }

    private mutating func checkRequestLine(target: String, version: String) {
        if method == nil { refuse("The method has a character that is not allowed.") }
        if version != "HTTP/1.1", version != "HTTP/1.0" { refuse("The version is neither HTTP/1.1 nor HTTP/1.0.") }
        if target.utf8.first != UInt8(ascii: "/") { refuse("The target does not begin with '/'.") }
        if !target.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) {
            refuse("The target has a character that must be percent-encoded.")
        }
        if hosts > 1 || hosts == 0 && version == "HTTP/1.1" { refuse("'Host' must occur once.") }
        if lengths > 1 { refuse("'Content-Length' must not be repeated.") }
        if encodings > 1 { refuse("'Transfer-Encoding' must not be repeated.") }
        if isChunked, lengths > 0 { refuse("'Content-Length' and 'Transfer-Encoding' exclude each other.") }
        if isChunked, version == "HTTP/1.0" { refuse("HTTP/1.0 has no 'Transfer-Encoding'.") }
    }

    private mutating func refuse(_ reason: String) {
        mistake = mistake ?? reason
    }

    /// Whether a body follows.
    var hasBody: Bool { isChunked || bodyLength ?? 0 > 0 }
}

/// A name and a value of a request's or response's head, such as `Content-Type: application/json`.
///
/// Neither can contain a line break, so no value that a client sends can add a field to a response. The only control characters are tabs in
/// the values of a request that a listener received.
public struct HTTPField: Sendable, Hashable, CustomStringConvertible {
    /// The name.
    public let name: Name
    /// The value.
    public let value: String

    /// Creates a field.
    ///
    /// - Parameters:
    ///   - name: The name.
    ///   - value: The value, without control characters.
    /// - Throws: ``HTTPError`` with the status 500 if the value contains a control character.
    public init(name: Name, value: String) throws {
        guard value.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
            throw HTTPError(
                .internalServerError, "The value of '\(name)' contains a control character. Remove or encode it.")
        }
        self.init(name: name, uncheckedValue: value)
    }

    /// Creates a field from a value that was checked where it arrived.
    init(name: Name, uncheckedValue: String) {
        self.name = name
        value = uncheckedValue
    }

    /// The field as it is written in a head.
    public var description: String { "\(name): \(value)" }
}

extension HTTPField {
    /// The name of a field, in which uppercase and lowercase letters are equal.
    public struct Name: Sendable, Hashable, CustomStringConvertible {
        /// The name as it was written.
        public let rawName: String

        /// Creates a name.
        ///
        /// - Parameter name: Letters, digits and the signs that RFC 9110 allows in a token. Any other character gives `nil`.
        public init?(_ name: String) {
            guard !name.isEmpty, name.utf8.allSatisfy(Self.isTokenCharacter) else { return nil }
            rawName = name
        }

        /// Creates a name from the bytes of a head, or `nil` if they are not a token.
        package init?(ascii bytes: UnsafeRawBufferPointer) {
            guard !bytes.isEmpty, bytes.allSatisfy(Self.isTokenCharacter) else { return nil }
            rawName = String(decoding: bytes, as: UTF8.self)
        }

        /// Creates a name that is known to be a token.
        init(known: StaticString) {
            rawName = "\(known)"
        }

        /// Whether a byte may be part of a token, by RFC 9110, section 5.6.2.
        static func isTokenCharacter(_ byte: UInt8) -> Bool {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "!"), UInt8(ascii: "#")...UInt8(ascii: "'"),
                UInt8(ascii: "*"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."),
                UInt8(ascii: "^")...UInt8(ascii: "`"), UInt8(ascii: "|"), UInt8(ascii: "~"):
                true
            default: false
            }
        }

        /// Compares two names without regard to uppercase and lowercase letters.
        ///
        /// - Parameters:
        ///   - left: A name.
        ///   - right: Another name.
        /// - Returns: Whether both are the same name.
        public static func == (left: Self, right: Self) -> Bool {
            // A head is searched for many names, and most differ in their length.
            left.rawName.utf8.count == right.rawName.utf8.count
                && left.rawName.utf8.elementsEqual(right.rawName.utf8) { lowercase($0) == lowercase($1) }
        }

        /// Hashes the name in lowercase letters.
        ///
        /// - Parameter hasher: The hasher.
        public func hash(into hasher: inout Hasher) {
            for byte in rawName.utf8 { hasher.combine(Self.lowercase(byte)) }
        }

        /// The name as it was written.
        public var description: String { rawName }

        private static func lowercase(_ byte: UInt8) -> UInt8 {
            byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z") ? byte | 0x20 : byte
        }

        /// `Accept`.
        public static let accept = Self(known: "Accept")
        /// `Accept-Ranges`.
        public static let acceptRanges = Self(known: "Accept-Ranges")
        /// `Allow`.
        public static let allow = Self(known: "Allow")
        /// `Cookie`.
        package static let cookie = Self(known: "Cookie")
        /// `Content-Security-Policy`.
        package static let contentSecurityPolicy = Self(known: "Content-Security-Policy")
        /// `Cross-Origin-Opener-Policy`.
        package static let crossOriginOpenerPolicy = Self(known: "Cross-Origin-Opener-Policy")
        /// `Cross-Origin-Resource-Policy`.
        package static let crossOriginResourcePolicy = Self(known: "Cross-Origin-Resource-Policy")
        /// `Referrer-Policy`.
        package static let referrerPolicy = Self(known: "Referrer-Policy")
        /// `Sec-Fetch-Site`.
        package static let fetchSite = Self(known: "Sec-Fetch-Site")
        /// `Set-Cookie`.
        package static let setCookie = Self(known: "Set-Cookie")
        /// `X-Content-Type-Options`.
        package static let contentTypeOptions = Self(known: "X-Content-Type-Options")
        /// `Authorization`.
        public static let authorization = Self(known: "Authorization")
        /// `Cache-Control`.
        public static let cacheControl = Self(known: "Cache-Control")
        /// `Connection`.
        public static let connection = Self(known: "Connection")
        /// `Content-Disposition`.
        public static let contentDisposition = Self(known: "Content-Disposition")
        /// `Content-Encoding`.
        public static let contentEncoding = Self(known: "Content-Encoding")
        /// `Content-Length`.
        public static let contentLength = Self(known: "Content-Length")
        /// `Content-Range`.
        public static let contentRange = Self(known: "Content-Range")
        /// `Content-Type`.
        public static let contentType = Self(known: "Content-Type")
        /// `ETag`.
        public static let eTag = Self(known: "ETag")
        /// `Expect`.
        public static let expect = Self(known: "Expect")
        /// `Host`.
        public static let host = Self(known: "Host")
        /// `If-None-Match`.
        public static let ifNoneMatch = Self(known: "If-None-Match")
        /// `If-Range`.
        public static let ifRange = Self(known: "If-Range")
        /// `Location`.
        public static let location = Self(known: "Location")
        /// `Origin`.
        public static let origin = Self(known: "Origin")
        /// `Range`.
        public static let range = Self(known: "Range")
        /// `Retry-After`.
        public static let retryAfter = Self(known: "Retry-After")
        /// `Transfer-Encoding`.
        public static let transferEncoding = Self(known: "Transfer-Encoding")
        /// `User-Agent`.
        public static let userAgent = Self(known: "User-Agent")
        /// `WWW-Authenticate`.
        public static let wwwAuthenticate = Self(known: "WWW-Authenticate")
    }
}

/// Markup of a page, in which every text is escaped.
///
/// A literal of the source is markup, and interpolation escapes the texts in it. No text becomes markup in another way.
///
/// ```swift
/// func row(_ name: String) -> HTML { "<td>\(name)</td>" }
/// ```
public struct HTML: Sendable, Equatable, ExpressibleByStringInterpolation {
    /// The markup in UTF-8: pages are joined from thousands of parts, and bytes need no check when they are joined.
    private(set) var bytes: [UInt8]

    /// The markup as a text.
    public var text: String { String(decoding: bytes, as: UTF8.self) }

    /// Creates markup from a literal, which belongs to the program's source.
    ///
    /// - Parameter value: The literal.
    public init(stringLiteral value: StaticString) {
        bytes = value.withUTF8Buffer { Array($0) }
    }

    /// Creates markup from a literal with texts in it.
    ///
    /// - Parameter stringInterpolation: The literal's parts.
    public init(stringInterpolation: Interpolation) {
        bytes = stringInterpolation.bytes
    }

    /// No markup.
    public static let empty: HTML = ""

    /// Adds markup.
    ///
    /// - Parameters:
    ///   - left: The markup.
    ///   - right: The markup to add.
    public static func += (left: inout HTML, right: HTML) { left.bytes += right.bytes }

    /// The parts of a literal: markup from the source, and texts.
    public struct Interpolation: StringInterpolationProtocol {
        fileprivate var bytes: [UInt8] = []

        /// Creates the parts of a literal.
        public init(literalCapacity: Int, interpolationCount: Int) {
            bytes.reserveCapacity(literalCapacity + interpolationCount * 16)
        }

        /// Adds markup of the source.
        public mutating func appendLiteral(_ literal: StaticString) {
            literal.withUTF8Buffer { bytes.append(contentsOf: $0) }
        }

        /// Adds a text, with an entity for each character that has a meaning in markup, also within quotation marks.
        public mutating func appendInterpolation(_ value: String) { bytes.append(escaping: value) }

        /// Adds a number.
        public mutating func appendInterpolation(_ value: some BinaryInteger) { bytes += "\(value)".utf8 }

        /// Adds markup.
        public mutating func appendInterpolation(_ markup: HTML) { bytes += markup.bytes }

        /// Adds markup if there is some.
        public mutating func appendInterpolation(_ markup: HTML?) {
            if let markup { bytes += markup.bytes }
        }

        /// Adds the markup of several elements.
        public mutating func appendInterpolation(_ markup: [HTML]) {
            for part in markup { bytes += part.bytes }
        }
    }
}

extension Sequence where Element == HTML {
    /// The elements in their order, with markup between them.
    package func joined(by separator: HTML) -> HTML {
        var joined = HTML.empty
        for (position, part) in enumerated() {
            if position > 0 { joined += separator }
            joined += part
        }
        return joined
    }
}

extension [UInt8] {
    fileprivate mutating func append(escaping value: String) {
        var value = value
        value.withUTF8 { text in
            var start = 0
            for (position, byte) in text.enumerated() {
                guard let entity = Self.entity(of: byte) else { continue }
                append(contentsOf: text[start..<position])
                entity.withUTF8Buffer { append(contentsOf: $0) }
                start = position + 1
            }
            append(contentsOf: text[start...])
        }
    }

    /// The entity of a character that has a meaning in markup; `nil` for another one, and for a part of one.
    private static func entity(of byte: UInt8) -> StaticString? {
        switch byte {
        case UInt8(ascii: "&"): "&amp;"
        case UInt8(ascii: "<"): "&lt;"
        case UInt8(ascii: ">"): "&gt;"
        case UInt8(ascii: "\""): "&quot;"
        case UInt8(ascii: "'"): "&#39;"
        default: nil
        }
    }
}

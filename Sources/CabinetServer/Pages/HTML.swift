/// Markup of a page, in which every text is escaped.
///
/// A literal of the source is markup, and interpolation escapes the texts in it. No text becomes markup in another way.
///
/// ```swift
/// func row(_ name: String) -> HTML { "<td>\(name)</td>" }
/// ```
public struct HTML: Sendable, Equatable, ExpressibleByStringInterpolation {
    /// The markup as a text, for the body of a response.
    public private(set) var text: String

    /// Creates markup from a literal, which belongs to the program's source.
    ///
    /// - Parameter value: The literal.
    public init(stringLiteral value: StaticString) {
        text = value.withUTF8Buffer { String(decoding: $0, as: UTF8.self) }
    }

    /// Creates markup from a literal with texts in it.
    ///
    /// - Parameter stringInterpolation: The literal's parts.
    public init(stringInterpolation: Interpolation) {
        text = stringInterpolation.text
    }

    /// No markup.
    public static let empty: HTML = ""

    /// Adds markup.
    ///
    /// - Parameters:
    ///   - left: The markup.
    ///   - right: The markup to add.
    public static func += (left: inout HTML, right: HTML) { left.text += right.text }

    /// The parts of a literal: markup from the source, and texts.
    public struct Interpolation: StringInterpolationProtocol {
        fileprivate var text = ""

        /// Creates the parts of a literal.
        public init(literalCapacity: Int, interpolationCount: Int) {
            text.reserveCapacity(literalCapacity + interpolationCount * 16)
        }

        /// Adds markup of the source.
        public mutating func appendLiteral(_ literal: StaticString) {
            literal.withUTF8Buffer { text += String(decoding: $0, as: UTF8.self) }
        }

        /// Adds a text, with an entity for each character that has a meaning in markup, also within quotation marks.
        public mutating func appendInterpolation(_ value: String) { text.append(escaping: value) }

        /// Adds a number.
        public mutating func appendInterpolation(_ value: some BinaryInteger) { text += "\(value)" }

        /// Adds markup.
        public mutating func appendInterpolation(_ markup: HTML) { text += markup.text }

        /// Adds markup if there is some.
        public mutating func appendInterpolation(_ markup: HTML?) { text += markup?.text ?? "" }

        /// Adds the markup of several elements.
        public mutating func appendInterpolation(_ markup: [HTML]) {
            for part in markup { text += part.text }
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

extension String {
    fileprivate mutating func append(escaping value: String) {
        let hasMarks = value.utf8.contains { [0x22, 0x26, 0x27, 0x3C, 0x3E].contains($0) }
        guard hasMarks else { return append(value) }
        for scalar in value.unicodeScalars {
            switch scalar {
            case "&": self += "&amp;"
            case "<": self += "&lt;"
            case ">": self += "&gt;"
            case "\"": self += "&quot;"
            case "'": self += "&#39;"
            default: unicodeScalars.append(scalar)
            }
        }
    }
}

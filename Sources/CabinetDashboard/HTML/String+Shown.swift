extension String {
    /// The text for a person: without characters that a page hides, or that change the direction of what follows.
    ///
    /// Joiners within emoji and joined scripts stay, since without them the text is another one.
    ///
    /// - Parameter limit: The number of characters that are shown at most; the rest is counted.
    func shown(_ limit: Int = 200) -> String {
        // Most texts are short, and in characters of ASCII that are seen.
        if utf8.count <= limit, utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F || $0 == 0x0A }) { return self }
        var text = ""
        var rest = unicodeScalars[...]
        var count = 0
        while let scalar = rest.popFirst() {
            count += 1
            if count > limit {
                return "\(text)… (\(rest.count + 1) more)"
            }
            if scalar.isHidden, !scalar.joins(text.unicodeScalars.last, rest.first) {
                text += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
            } else {
                text.unicodeScalars.append(scalar)
            }
        }
        return text
    }
}

extension Unicode.Scalar {
    /// Whether a page shows nothing for the character, or shows later characters in another order because of it.
    fileprivate var isHidden: Bool {
        switch value {
        case 0x0A, 0x09: false
        case 0x00..<0x20, 0x7F..<0xA0: true
        case 0x200B...0x200F, 0x2028...0x202E, 0x2060...0x206F, 0x061C, 0xFEFF, 0xFFF9...0xFFFB: true
        default: false
        }
    }

    /// Whether the character is a joiner between two others whose shape depends on it, as in family emoji and Persian words.
    fileprivate func joins(_ previous: Unicode.Scalar?, _ next: Unicode.Scalar?) -> Bool {
        guard value == 0x200C || value == 0x200D, let previous, let next else { return false }
        return previous.isJoined && next.isJoined
    }

    /// Whether the character is of an emoji, or of a script whose letters a joiner connects or separates.
    private var isJoined: Bool {
        switch value {
        case 0x0620...0x109F, 0x1780...0x18AF, 0xA840...0xABFF, 0xFE0F, 0x10A00...0x11FFF: true
        case 0..<0x2000: false
        default: properties.isEmoji || properties.isEmojiModifier
        }
    }
}

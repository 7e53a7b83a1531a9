/// A text as a key of a set or a dictionary: it equals texts with the same scalars alone, unlike a `String`.
struct ScalarText: Sendable, Hashable {
    let text: String

    static func == (left: Self, right: Self) -> Bool { left.text.hasSameScalars(as: right.text) }

    func hash(into hasher: inout Hasher) { text.hashScalars(into: &hasher) }
}

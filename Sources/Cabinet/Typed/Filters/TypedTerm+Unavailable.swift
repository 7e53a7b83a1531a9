// Spellings that do not compile, with messages that name those that do.

extension TypedTerm {
    /// Refuses a value on the left side.
    @available(*, unavailable, message: "Write the field on the left side, and the value on the right.")
    public static func == (left: Compared, right: Self) -> Filter { .constant(false) }

    /// Refuses a value on the left side.
    @available(*, unavailable, message: "Write the field on the left side, and the value on the right.")
    public static func != (left: Compared, right: Self) -> Filter { .constant(false) }

    /// Refuses a value on the left side.
    @available(*, unavailable, message: "Write the field on the left side, and the value on the right.")
    public static func < (left: Compared, right: Self) -> Filter { .constant(false) }

    /// Refuses a value on the left side.
    @available(*, unavailable, message: "Write the field on the left side, and the value on the right.")
    public static func <= (left: Compared, right: Self) -> Filter { .constant(false) }

    /// Refuses a value on the left side.
    @available(*, unavailable, message: "Write the field on the left side, and the value on the right.")
    public static func > (left: Compared, right: Self) -> Filter { .constant(false) }

    /// Refuses a value on the left side.
    @available(*, unavailable, message: "Write the field on the left side, and the value on the right.")
    public static func >= (left: Compared, right: Self) -> Filter { .constant(false) }
}

extension TypedTerm where Compared == Bool {
    /// Refuses a Boolean field without a value to compare it with.
    @available(*, unavailable, message: "Compare the field with a value, as in '$0.isOpen == false'.")
    public static prefix func ! (term: Self) -> Filter { .constant(false) }
}

extension TypedTerm where Compared: RawRepresentable {
    /// Refuses a raw value.
    @available(
        *, unavailable, message: "Compare the field with a value of its type, such as '.won', not with a raw value."
    )
    public static func == (left: Self, right: String) -> Filter { .constant(false) }

    /// Refuses a raw value.
    @available(
        *, unavailable, message: "Compare the field with a value of its type, such as '.won', not with a raw value."
    )
    public static func == (left: Self, right: Int) -> Filter { .constant(false) }

    /// Refuses a raw value.
    @available(
        *, unavailable, message: "Compare the field with a value of its type, such as '.won', not with a raw value."
    )
    public static func != (left: Self, right: String) -> Filter { .constant(false) }

    /// Refuses a raw value.
    @available(
        *, unavailable, message: "Compare the field with a value of its type, such as '.won', not with a raw value."
    )
    public static func != (left: Self, right: Int) -> Filter { .constant(false) }
}

extension ElementTerm where Compared: Comparable {
    /// Refuses a range without its upper bound, which is two comparisons.
    @available(
        *, unavailable, message: "Use a closed range, such as '1...4'. Different elements could satisfy the two bounds."
    )
    public func isIn(_ range: Range<Compared>) -> Filter { .constant(false) }
}

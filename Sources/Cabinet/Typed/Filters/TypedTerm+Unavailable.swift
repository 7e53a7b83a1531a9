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

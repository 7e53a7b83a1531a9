extension Link {
    /// Matches records whose link points to a record of the first of two types.
    public static func == <First, Second>(
        left: Self, right: TypedID<First>
    ) -> Filter where Target == OneOf<First, Second> {
        left.compared(.equal, to: Filter.Expression(right), options: [])
    }

    /// Matches records whose link points to a record of the second of two types.
    public static func == <First, Second>(
        left: Self, right: TypedID<Second>
    ) -> Filter where Target == OneOf<First, Second> {
        left.compared(.equal, to: Filter.Expression(right), options: [])
    }

    /// Matches records whose link points to a record of the first of three types.
    public static func == <First, Second, Third>(
        left: Self, right: TypedID<First>
    ) -> Filter where Target == OneOf<First, Second, Third> {
        left.compared(.equal, to: Filter.Expression(right), options: [])
    }

    /// Matches records whose link points to a record of the second of three types.
    public static func == <First, Second, Third>(
        left: Self, right: TypedID<Second>
    ) -> Filter where Target == OneOf<First, Second, Third> {
        left.compared(.equal, to: Filter.Expression(right), options: [])
    }

    /// Matches records whose link points to a record of the third of three types.
    public static func == <First, Second, Third>(
        left: Self, right: TypedID<Third>
    ) -> Filter where Target == OneOf<First, Second, Third> {
        left.compared(.equal, to: Filter.Expression(right), options: [])
    }

    /// Matches records whose link does not point to a record of the first of two types.
    public static func != <First, Second>(
        left: Self, right: TypedID<First>
    ) -> Filter where Target == OneOf<First, Second> {
        left.compared(.notEqual, to: Filter.Expression(right), options: [])
    }

    /// Matches records whose link does not point to a record of the second of two types.
    public static func != <First, Second>(
        left: Self, right: TypedID<Second>
    ) -> Filter where Target == OneOf<First, Second> {
        left.compared(.notEqual, to: Filter.Expression(right), options: [])
    }

    /// Matches records whose link does not point to a record of the first of three types.
    public static func != <First, Second, Third>(
        left: Self, right: TypedID<First>
    ) -> Filter where Target == OneOf<First, Second, Third> {
        left.compared(.notEqual, to: Filter.Expression(right), options: [])
    }

    /// Matches records whose link does not point to a record of the second of three types.
    public static func != <First, Second, Third>(
        left: Self, right: TypedID<Second>
    ) -> Filter where Target == OneOf<First, Second, Third> {
        left.compared(.notEqual, to: Filter.Expression(right), options: [])
    }

    /// Matches records whose link does not point to a record of the third of three types.
    public static func != <First, Second, Third>(
        left: Self, right: TypedID<Third>
    ) -> Filter where Target == OneOf<First, Second, Third> {
        left.compared(.notEqual, to: Filter.Expression(right), options: [])
    }
}

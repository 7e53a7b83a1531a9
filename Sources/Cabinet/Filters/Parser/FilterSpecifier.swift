/// A placeholder for an argument in a format string.
enum FilterSpecifier: Equatable {
    /// `%@`: any value.
    case value
    /// `%K`: the name of a field, or a key path.
    case key
    /// `%d` and its kin, as they were written: a whole number.
    case integer(String)
    /// `%f` and its kin, as they were written: a number.
    case number(String)

    var spelling: String {
        switch self {
        case .value: "%@"
        case .key: "%K"
        case .integer(let spelling), .number(let spelling): spelling
        }
    }
}

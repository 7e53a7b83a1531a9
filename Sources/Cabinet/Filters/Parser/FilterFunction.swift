/// The functions of the language, each with two parameters.
enum FilterFunction: String {
    /// The distance between two locations.
    case distance = "distanceToLocation:fromLocation:"
    /// The words of a search as CloudKit prints them: the text, and options that change nothing here.
    case tokenize = "tokenize:using:"
    /// A constant without a literal of its own: a value, and the type of the result.
    case cast = "CAST"
}

/// The functions of the language, each with two parameters.
enum FilterFunction: String {
    /// The distance between two places.
    case distance = "distanceToLocation:fromLocation:"
    /// How CloudKit prints the words of a search: the text, and options that change nothing here.
    case tokenize = "tokenize:using:"
    /// A constant without a literal of its own: a value, and the type to make of it.
    case cast = "CAST"
}

import Cabinet

/// The way in which a form was closed.
enum FormEnding<Fields: NamedFields> {
    case saved(Typed<Fields>)
    case cancelled
    /// Another terminal has deleted the record that the form edits.
    case deleted(String)

    /// A message for the screen below.
    var message: String? {
        switch self {
        case .saved, .cancelled: nil
        case .deleted(let title): "'\(title)' was deleted elsewhere. Nothing was saved."
        }
    }
}

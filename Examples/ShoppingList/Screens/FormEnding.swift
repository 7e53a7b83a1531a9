import Cabinet

/// How a form was closed.
enum FormEnding {
    case saved(Record)
    case cancelled
    /// Another terminal has deleted what the form is about.
    case deleted(String)

    /// What the screen below is to say.
    var message: String? {
        switch self {
        case .saved, .cancelled: nil
        case .deleted(let title): "'\(title)' was deleted elsewhere. Nothing was saved."
        }
    }
}

import Foundation
import TerminalProgram

extension Program {
    static let notes = Program(
        name: "notes", content: "the notes",
        summary: "Keeps notes with pictures. Without a command, it shows its screens, or to a file or a pipe the list.",
        commands: [.interactive, .list, .showNote, .newNote, .editNote, .deleteNote, .export, .serve, .demo],
        withoutCommand: .start,
        options: [.mirror],
        notes: """
            NOTE is a title, or a record name or its number if several notes have the same title.
            Commands print the notes that they find, save or delete. To a file or a pipe, tabs separate the columns:
            title, edited date in ISO 8601, the picture's width and height, its size in bytes, record name. Arguments after -- are
            not options.
            """,
        exitCodes: [
            (.success, "done"),
            (.failure, "the store or a file failed, or a file is not a picture; the error says why"),
            (.usage, "wrong arguments, a missing title or text among them; nothing was saved"),
            (.notFound, "the note does not exist"),
            (.ambiguous, "several notes have that title or number; the error lists their record names"),
        ])
}

/// The options' names.
extension Option {
    static let title = "--title"
    static let text = "--text"
    static let image = "--image"
    static let removeImage = "--remove-image"
    static let savePicture = "--save-picture"
}

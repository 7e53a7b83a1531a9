import CabinetServer

/// A note that a person has edited in a browser, while other devices may have changed it.
struct NoteEdit {
    /// A text in three states: when the person opened the page, now, and as the person has typed it.
    struct Text {
        let name: String
        let before: String
        let now: String
        let typed: String

        /// Whether both sides have changed the text, to different values.
        var isInConflict: Bool { typed != before && now != before && typed != now }

        /// The text to save: what the person has not touched stays as another device has it.
        var merged: String { typed == before ? now : typed }
    }

    let title: Text
    let text: Text
    private let form: HTTPForm

    init(_ note: Note, _ form: HTTPForm) {
        self.form = form
        title = Text(name: "title", before: form["was-title"], now: note.title, typed: form["title"].trimmed)
        text = Text(name: "text", before: form["was-text"], now: note.text, typed: form["text"])
    }

    /// The texts that the person decides about.
    var conflicts: [Text] { [title, text].filter(\.isInConflict) }

    /// The draft that changes the note.
    var draft: Draft {
        get throws {
            var draft = try Draft(form)
            (draft.title, draft.text) = (title.merged, text.merged)
            return draft
        }
    }
}

extension Draft {
    /// The draft of a form, with the picture that the person has chosen.
    init(_ form: HTTPForm) throws {
        self.init()
        (title, text) = (form["title"].trimmed, form["text"])
        if !form["standard-picture"].isEmpty { picture = .standard }
        guard let file = form.file("picture") else { return }
        do {
            picture = try .checked(file.url)
        } catch {
            throw HTTPError(
                .badRequest, "'\(file.name)' is not a picture that can be read: it must be a JPEG or PNG file.")
        }
    }
}

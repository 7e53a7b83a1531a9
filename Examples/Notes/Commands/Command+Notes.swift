import Foundation
import TerminalProgram

extension Command {
    static let list = Command(words: ["list"], summary: "Show all notes") { call in
        try await call.withStore { store in
            let notes = await store.notes
            if notes.isEmpty { call.console.writeError(Sentence.noNotes.rawValue) }
            call.show(notes)
        }
    }

    static let showNote = Command(
        words: ["show"], parameters: ["NOTE"],
        options: [Option(name: Option.savePicture, value: "FILE", summary: "Write the picture to a file")],
        summary: "Show a note and its text"
    ) { call in
        try await call.withStore { store in
            let note = try await call.note(in: store)
            if let path = call.arguments.options[Option.savePicture] {
                try await store.writePicture(of: note, to: URL(filePath: path))
            }
            note.lines(for: call.console).forEach { call.console.write($0) }
        }
    }

    static let newNote = Command(
        words: ["new"],
        options: [
            Option(name: Option.title, value: "TITLE", summary: "The title, which every note has"),
            Option(name: Option.text, value: "TEXT", summary: "The text, which every note has; - is the input"),
            Option(
                name: Option.image, value: "FILE",
                summary: "The picture, a JPEG or PNG file (default: a sheet of paper)"),
        ],
        summary: "Make a note"
    ) { call in
        var draft = Draft()
        try await call.fill(&draft)
        try await call.withStore { store in
            let note = try await call.console.showing("Saving") { [draft] progress in
                try await store.add(draft, progress: progress.report)
            }
            call.show([note])
        }
    }

    static let editNote = Command(
        words: ["edit"], parameters: ["NOTE"],
        options: [
            Option(name: Option.title, value: "TITLE", summary: "Another title"),
            Option(name: Option.text, value: "TEXT", summary: "Another text; - is the input"),
            Option(name: Option.image, value: "FILE", summary: "Another picture, a JPEG or PNG file"),
            Option(name: Option.removeImage, summary: "Remove the picture: the note gets the default one"),
        ],
        summary: "Change a note, and its edited date"
    ) { call in
        let removesImage = call.arguments.flags.contains(Option.removeImage)
        let changes = [Option.title, Option.text, Option.image].filter { call.arguments.options[$0] != nil }
        if changes.isEmpty, !removesImage {
            throw CommandError.usage("Say what to change. See: notes edit --help")
        }
        if changes.contains(Option.image), removesImage {
            throw CommandError.usage("Give either --image or --remove-image.")
        }
        try await call.withStore { store in
            let note = try await call.note(in: store)
            var draft = Draft(note)
            if removesImage { draft.picture = .standard }
            try await call.fill(&draft)
            let saved = try await call.console.showing("Saving") { [draft] progress in
                try await store.change(note, to: draft, progress: progress.report)
            }
            call.show([saved])
        }
    }

    static let deleteNote = Command(words: ["delete"], parameters: ["NOTE"], summary: "Delete a note") { call in
        try await call.withStore { store in
            let note = try await call.note(in: store)
            try await store.delete(note)
            call.show([note])
        }
    }
}

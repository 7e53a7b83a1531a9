import Foundation

/// A page that shows notes.
struct HTMLPage {
    /// A note, and its picture.
    struct Entry {
        let note: Note
        let image: Image?

        init(note: Note, picture: Image?) {
            self.note = note
            image = picture
        }
    }

    /// A picture's file, as the page names it.
    struct Image {
        let path: String
        let header: PictureHeader
    }

    let entries: [Entry]

    /// The page as HTML.
    var text: String {
        let content =
            entries.isEmpty ? "<p>\(Sentence.noNotes.rawValue)</p>" : entries.map(\.html).joined(separator: "\n")
        return """
            <!DOCTYPE html>
            <html>
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width">
            <title>Notes</title>
            <style>
            :root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif }
            body { max-width: 42rem; margin: 2rem auto; padding: 0 1rem }
            article { border-top: 1px solid #8886; padding: 1.5rem 0; overflow-wrap: anywhere }
            h2 { margin: 0 }
            time { color: #888 }
            img { display: block; max-width: 100%; height: auto; margin: 1rem 0; border-radius: 0.5rem }
            p { white-space: pre-wrap; margin: 0 }
            </style>
            </head>
            <body>
            <h1>Notes</h1>
            \(content)
            </body>
            </html>

            """
    }
}

extension HTMLPage.Entry {
    /// The note as HTML.
    ///
    /// Its text never becomes markup.
    fileprivate var html: String {
        let date = note.editedDate.map { "<time datetime=\"\($0.formatted(.iso8601))\">\($0.shown)</time>" } ?? ""
        let picture = image.map { image in
            let size = "width=\"\(image.header.width)\" height=\"\(image.header.height)\""
            return "<img src=\"\(image.path.escapedForHTML)\" \(size) alt=\"\">"
        }
        return """
            <article>
            <h2 dir="auto">\(note.title.escapedForHTML)</h2>
            \(date)
            \(picture ?? "<p><em>no picture</em></p>")
            <p dir="auto">\(note.text.escapedForHTML)</p>
            </article>
            """
    }
}

extension String {
    /// The text as HTML, in an element or in quotes.
    var escapedForHTML: String {
        var html = ""
        for scalar in unicodeScalars {
            switch scalar {
            case "&": html += "&amp;"
            case "<": html += "&lt;"
            case ">": html += "&gt;"
            case "\"": html += "&quot;"
            case "'": html += "&#39;"
            case "\n", "\t": html.unicodeScalars.append(scalar)
            // HTML has no other control characters, in any notation.
            case _ where scalar.properties.generalCategory == .control: html += "\u{FFFD}"
            default: html.unicodeScalars.append(scalar)
            }
        }
        return html
    }
}

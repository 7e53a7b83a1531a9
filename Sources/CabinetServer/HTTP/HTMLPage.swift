/// A page for a browser, without scripts of its own.
struct HTMLPage {
    let title: String
    /// The elements below the heading.
    let body: String

    /// The text of the page.
    ///
    /// - Parameter stylesheet: The path of ``style`` on the server.
    func html(stylesheet: String) -> String {
        let title = Self.escaped(title)
        return """
            <!DOCTYPE html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <title>\(title) – Cabinet</title>
            <link rel="stylesheet" href="\(Self.escaped(stylesheet))">
            </head>
            <body>
            <main>
            <h1>\(title)</h1>
            \(body)
            </main>
            </body>
            </html>

            """
    }

    /// Returns a text whose characters have no meaning in HTML, also within quotation marks.
    static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
            .replacing("\"", with: "&quot;").replacing("'", with: "&#39;")
    }

    static let style = """
        :root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif; }
        body { margin: 0; min-height: 100vh; display: grid; place-items: center; background: Canvas; color: CanvasText; }
        main { box-sizing: border-box; width: min(26rem, 100vw); padding: 2rem 1.5rem; }
        h1 { font-size: 1.5rem; line-height: 1.2; margin: 0 0 1rem; overflow-wrap: anywhere; }
        p { margin: 0 0 1rem; overflow-wrap: anywhere; }
        label { display: block; font-weight: 600; margin-bottom: .25rem; }
        input[type=password] { box-sizing: border-box; width: 100%; font: inherit; padding: .5rem .75rem; border: 1px solid GrayText;
          border-radius: .5rem; background: Field; color: FieldText; }
        code { white-space: nowrap; }
        .hint { font-size: .875rem; margin-top: .25rem; }
        .choice { font-weight: 400; margin: 0 0 1.5rem; }
        .failure { border-left: .25rem solid #b3261e; padding-left: .75rem; }
        button, .button, #continue { display: block; box-sizing: border-box; width: 100%; font: inherit; font-weight: 600; text-align: center;
          padding: .625rem; border: 0; border-radius: .5rem; background: #0b57d0; color: #fff; text-decoration: none; cursor: pointer; }
        .button { margin-bottom: 1.5rem; background: none; color: inherit; border: 1px solid GrayText; }
        button:focus-visible, a:focus-visible, input:focus-visible { outline: .1875rem solid #5e9bff; outline-offset: .125rem; }
        output { display: block; font-family: ui-monospace, monospace; padding: .75rem; border: 1px solid GrayText; border-radius: .5rem; }

        """
}

extension HTTPResponse {
    /// Adds the fields of a page: no cache keeps it, no other site frames it or learns its address, and nothing but the server's own
    /// files is loaded.
    ///
    /// - Parameter scripts: The scripts that the page may run.
    mutating func addPageFields(scripts: String = "'none'") {
        headerFields.append(checked: .cacheControl, value: "no-store")
        headerFields.append(checked: .referrerPolicy, value: "no-referrer")
        headerFields.append(checked: .contentTypeOptions, value: "nosniff")
        headerFields.append(
            checked: .contentSecurityPolicy,
            value: "default-src 'none'; style-src 'self'; script-src \(scripts); form-action 'self'; base-uri 'none'; "
                + "frame-ancestors 'none'")
    }
}

extension HTTPField.Name {
    fileprivate static let contentTypeOptions = Self(known: "X-Content-Type-Options")
    fileprivate static let contentSecurityPolicy = Self(known: "Content-Security-Policy")
}

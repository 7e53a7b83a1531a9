/// A page for a browser, without scripts of its own.
struct HTMLPage {
    let title: String
    /// The elements below the heading.
    let body: HTML

    /// Returns the page.
    ///
    /// - Parameter stylesheet: The path of ``style`` on the server.
    func html(stylesheet: String) -> HTML {
        HTMLDocument(
            title: "\(title) – Cabinet", stylesheet: stylesheet, body: "<main>\n<h1>\(title)</h1>\n\(body)\n</main>"
        ).html
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
    /// Adds the fields of a page: no other site frames it or learns its address, no type is guessed, and nothing but the server's own
    /// files is loaded.
    ///
    /// - Parameters:
    ///   - sources: The directives of the content security policy for what the page loads besides its style.
    ///   - referrer: The referrer policy. With `no-referrer`, browsers do not say either which page has sent a form.
    package mutating func addPageFields(sources: String = "script-src 'none'; ", referrer: String = "no-referrer") {
        if headerFields[.cacheControl] == nil { headerFields.append(checked: .cacheControl, value: "no-store") }
        headerFields.append(checked: .referrerPolicy, value: referrer)
        headerFields.append(checked: .contentTypeOptions, value: "nosniff")
        headerFields.append(
            checked: .contentSecurityPolicy,
            value: "default-src 'none'; style-src 'self'; \(sources)form-action 'self'; base-uri 'none'; "
                + "frame-ancestors 'none'")
    }
}

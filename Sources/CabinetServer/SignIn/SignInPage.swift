import CabinetWire
import Foundation

/// The sign-in page, before and after.
enum SignInPage {
    /// The form for a token, after a failure with its reason.
    case form(WireContainer, failure: String?)
    /// The end: the web token goes to the program.
    case signedIn(String, URL?)

    /// The text of the page.
    var html: String {
        switch self {
        case .form(let container, let failure):
            let alert = failure.map { "<p class=\"failure\" role=\"alert\">\(Self.escaped($0))</p>" } ?? ""
            return Self.page(
                "Sign in",
                """
                <p>A program asks for your records in <strong>\(Self.escaped(container.identifier))</strong>.</p>
                \(alert)<form method="post">
                <label for="token">Your token</label>
                <input id="token" name="token" type="password" autocomplete="off" spellcheck="false" required autofocus>
                <p class="hint">The operator of the server prints it: <code>cabinet users sign-in NAME</code></p>
                <label class="choice"><input name="keep" type="checkbox"> Keep me signed in for two weeks</label>
                <button>Sign in</button>
                </form>
                """)
        case .signedIn(let token, let callback?):
            let address = Self.escaped(Self.address(callback, token))
            return Self.page(
                "You are signed in",
                """
                <p><a id="continue" href="\(address)" data-token="\(Self.escaped(token))"
                data-origin="\(Self.escaped(Self.origin(callback)))">Continue to the program</a></p>
                <script src="/sign-in/page.js"></script>
                """)
        case .signedIn(let token, nil):
            return Self.page(
                "You are signed in",
                """
                <p>The program has no page to return to. Give it this token, which it replaces by others:</p>
                <p><output>\(Self.escaped(token))</output></p>
                """)
        }
    }

    private static func page(_ title: String, _ body: String) -> String {
        """
        <!DOCTYPE html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <title>\(title) – Cabinet</title>
        <link rel="stylesheet" href="/sign-in/page.css">
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

    /// Returns the program's page with the token in its query.
    private static func address(_ callback: URL, _ token: String) -> String {
        let text = callback.absoluteString
        return "\(text)\(text.contains("?") ? "&" : "?")ckWebAuthToken=\(token)"
    }

    /// Returns the origin of a page, the only one that gets the message with the token.
    private static func origin(_ callback: URL) -> String {
        "\(callback.scheme ?? "")://\(callback.host() ?? "")\(callback.port.map { ":\($0)" } ?? "")"
    }

    /// Returns a text whose characters have no meaning in HTML, also within quotation marks.
    private static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
            .replacing("\"", with: "&quot;").replacing("'", with: "&#39;")
    }

    /// Sends the token to the window that has opened the page, or goes back to the program.
    static let script = """
        "use strict";
        const link = document.getElementById("continue");
        if (window.opener) {
          window.opener.postMessage({ ckWebAuthToken: link.dataset.token }, link.dataset.origin);
          window.close();
        } else {
          window.location.replace(link.href);
        }

        """

    static let style = """
        :root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif; }
        body { margin: 0; min-height: 100vh; display: grid; place-items: center; background: Canvas; color: CanvasText; }
        main { box-sizing: border-box; width: min(26rem, 100vw); padding: 2rem 1.5rem; }
        h1 { font-size: 1.5rem; line-height: 1.2; margin: 0 0 1rem; }
        p { margin: 0 0 1rem; overflow-wrap: anywhere; }
        label { display: block; font-weight: 600; margin-bottom: .25rem; }
        input[type=password] { box-sizing: border-box; width: 100%; font: inherit; padding: .5rem .75rem; border: 1px solid GrayText;
          border-radius: .5rem; background: Field; color: FieldText; }
        code { white-space: nowrap; }
        .hint { font-size: .875rem; margin-top: .25rem; }
        .choice { font-weight: 400; margin: 0 0 1.5rem; }
        .failure { border-left: .25rem solid #b3261e; padding-left: .75rem; }
        button, #continue { display: block; box-sizing: border-box; width: 100%; font: inherit; font-weight: 600; text-align: center;
          padding: .625rem; border: 0; border-radius: .5rem; background: #0b57d0; color: #fff; text-decoration: none; cursor: pointer; }
        button:focus-visible, a:focus-visible, input:focus-visible { outline: .1875rem solid #5e9bff; outline-offset: .125rem; }
        output { display: block; font-family: ui-monospace, monospace; padding: .75rem; border: 1px solid GrayText; border-radius: .5rem; }

        """
}

import CabinetWire
import Foundation

/// The sign-in page, before and after.
enum SignInPage {
    /// The form for a token, after a failure with its reason.
    case form(WireContainer, failure: String?)
    /// The end: the web token goes to the program.
    case signedIn(String, URL?)

    /// The page.
    var html: HTML {
        switch self {
        case .form(let container, let failure):
            let alert = failure.map { reason -> HTML in "<p class=\"failure\" role=\"alert\">\(reason)</p>" }
            return Self.page(
                "Sign in",
                """
                <p>A program asks for your records in <strong>\(container.identifier)</strong>.</p>
                \(alert)<form method="post">
                <label for="token">Your token</label>
                <input id="token" name="token" type="password" autocomplete="off" spellcheck="false" required autofocus>
                <p class="hint">The operator of the server prints it: <code>cabinet users sign-in NAME</code></p>
                <label class="choice"><input name="keep" type="checkbox"> Keep me signed in for two weeks</label>
                <button>Sign in</button>
                </form>
                """)
        case .signedIn(let token, let callback?):
            let address = Self.address(callback, token)
            return Self.page(
                "You are signed in",
                """
                <p><a id="continue" href="\(address)" data-token="\(token)"
                data-origin="\(Self.origin(callback))">Continue to the program</a></p>
                <script src="/sign-in/page.js"></script>
                """)
        case .signedIn(let token, nil):
            return Self.page(
                "You are signed in",
                """
                <p>The program has no page to return to. Give it this token, which it replaces by others:</p>
                <p><output>\(token)</output></p>
                """)
        }
    }

    private static func page(_ title: String, _ body: HTML) -> HTML {
        HTMLPage(title: title, body: body).html(stylesheet: "/sign-in/page.css")
    }

    /// Returns the program's page with the token in its query.
    private static func address(_ callback: URL, _ token: String) -> String {
        let text = callback.absoluteString
        return "\(text)\(text.contains("?") ? "&" : "?")ckWebAuthToken=\(token)"
    }

    /// Returns the origin of a page, the only one that gets the message with the token.
    private static func origin(_ callback: URL) -> String {
        let host = callback.host() ?? ""
        let name = host.contains(":") ? "[\(host)]" : host
        return "\(callback.scheme ?? "")://\(name)\(callback.port.map { ":\($0)" } ?? "")"
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
}

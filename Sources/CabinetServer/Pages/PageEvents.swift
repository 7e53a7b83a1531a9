import CabinetWire

/// Streams of events that show open pages when their content changes.
///
/// ```swift
/// let events = PageEvents()
/// let changes = database.observe(query, desiredKeys: [])
/// return try events.response(changes)
/// ```
///
/// A page with ``main(_:events:script:)`` is read again after each event.
public final class PageEvents: Sendable {
    private let streams = SignalStreams(
        interval: .seconds(20),
        // Another program may change the store all the time.
        EventForm(signal: Array("data: change\n\n".utf8), end: [], pause: .milliseconds(250)))
    /// The number of streams at a time.
    private static let maximumCount = 64
    /// The time after which a stream ends; browsers begin another one.
    private static let life = Duration.seconds(600)

    /// Creates the streams of a program, which has 64 open ones at most.
    public init() {}

    /// Returns a stream with an event for each change, and at most four a second.
    ///
    /// - Parameter changes: The changes.
    /// - Throws: ``HTTPError`` with the status 503 if too many streams are open, or after ``end()``.
    public func response<Changes: AsyncSequence & Sendable>(_ changes: Changes) throws -> HTTPResponse {
        // Changes that come together are one event.
        let (signals, signal) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let end = ContinuousClock.now + Self.life
        guard let stream = try? streams.open(signals, of: "", limit: Self.maximumCount, isValid: { .now < end }) else {
            throw HTTPError(.serviceUnavailable, streams.isEnding ? "The server ends." : "Too many pages are open.")
        }
        let task = Task {
            // A stream that fails ends, and the browser begins another one.
            var iterator = changes.makeAsyncIterator()
            while (try? await iterator.next(isolation: #isolation)) != nil { signal.yield() }
            signal.finish()
        }
        signal.onTermination = { _ in task.cancel() }
        return try HTTPResponse(contentType: SignalStream.contentType, body: HTTPBody(polling: stream.poll))
    }

    /// Ends all streams, and refuses further ones, so that a listener need not wait for them when it stops.
    public func end() { streams.end() }

    /// Returns the main part of a page that shows changes as they happen.
    ///
    /// - Parameters:
    ///   - content: The elements of the part.
    ///   - events: The path of the stream of events; `nil` for a page without events.
    ///   - script: The path of ``script``.
    public static func main(_ content: HTML, events: String?, script: String) -> HTML {
        let events = events.map { " data-events=\"\($0)\"" as HTML }
        return """
            <main id="main" tabindex="-1"\(events)>
            \(content)
            </main>
            <p id="news" role="status" hidden>This page has changed. <a href="">Show the changes</a></p>
            <script src="\(script)" defer></script>
            """
    }

    /// The script of pages that show changes as they happen, and that work without it.
    ///
    /// Text that a person has typed is not replaced. Then the element `news` is shown.
    public static let script = """
        "use strict";
        const main = document.getElementById("main");
        let content = main?.innerHTML;

        // Whether a person has typed or chosen something.
        function isChanged(field) {
          if (field.type === "checkbox") return field.checked !== field.defaultChecked;
          if (!field.options) return field.value !== field.defaultValue;
          return field.selectedIndex !== Math.max(0, [...field.options].findIndex((option) => option.defaultSelected));
        }

        // Reads the page again, unless something was typed: then it only says that the page has changed.
        async function refresh() {
          const response = await fetch(location.href);
          if (!response.ok) return;
          const page = new DOMParser().parseFromString(await response.text(), "text/html");
          const fresh = page.getElementById("main");
          if (!fresh || fresh.innerHTML === content) return;
          if ([...main.querySelectorAll("input:not([type=hidden]), textarea, select")].some(isChanged)) {
            document.getElementById("news").hidden = false;
            return;
          }
          content = fresh.innerHTML;
          const opened = [...main.querySelectorAll("details")].map((details) => details.open);
          const focused = main.contains(document.activeElement) ? document.activeElement.outerHTML : null;
          main.replaceChildren(...fresh.childNodes);
          main.querySelectorAll("details").forEach((details, index) => { if (opened[index]) details.open = true; });
          if (focused) [...main.querySelectorAll("a, button, input, textarea, select")].find((one) => one.outerHTML === focused)?.focus();
        }
        if (main?.dataset.events) {
          let events, timer;
          // A browser has six connections to a server, so a page has one only while it is seen.
          const follow = () => {
            events?.close();
            if (document.hidden) return;
            events = new EventSource(main.dataset.events);
            // The first event says that the stream has begun; the page may have changed before it did.
            events.onmessage = () => {
              clearTimeout(timer);
              timer = setTimeout(refresh, 50);
            };
          };
          follow();
          document.addEventListener("visibilitychange", follow);
          addEventListener("pagehide", () => events?.close());
        }

        """
}

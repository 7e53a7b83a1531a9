import Cabinet
import Foundation
import Synchronization

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
    private struct State {
        var streams: [UUID: AsyncStream<Data>.Continuation] = [:]
        var isEnding = false
    }

    private let state = Mutex(State())
    /// The number of streams at a time.
    private static let maximumCount = 64
    /// The time after which a stream ends; browsers begin another one.
    private static let life = Duration.seconds(600)
    /// The time after which a line without meaning shows whether the browser is still there.
    private static let silence = Duration.seconds(20)

    /// Creates the streams of a program, which has 64 open ones at most.
    public init() {}

    /// Returns a stream with an event for each change, and at most four a second.
    ///
    /// - Parameter changes: The changes.
    /// - Throws: ``HTTPError`` with the status 503 if too many streams are open, or after ``end()``.
    public func response<Changes: AsyncSequence & Sendable>(_ changes: Changes) throws -> HTTPResponse {
        let (lines, line) = AsyncStream.makeStream(of: Data.self, bufferingPolicy: .bufferingNewest(4))
        let id = UUID()
        try state.withLock { state throws(HTTPError) in
            if state.isEnding { throw HTTPError(.serviceUnavailable, "The server ends.") }
            if state.streams.count >= Self.maximumCount {
                throw HTTPError(.serviceUnavailable, "Too many pages are open.")
            }
            state.streams[id] = line
        }
        // Changes that come together are one event.
        let (ticks, tick) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let task = Task {
            defer { state.withLock { _ = $0.streams.removeValue(forKey: id) } }
            await withTaskGroup(of: Void.self) { group in
                group.addTask {
                    // A stream that fails ends, and the browser begins another one.
                    var iterator = changes.makeAsyncIterator()
                    while (try? await iterator.next(isolation: #isolation)) != nil { tick.yield() }
                    tick.finish()
                    await Self.wait(for: Self.life)
                }
                group.addTask {
                    for await _ in ticks {
                        line.yield(Data("data: change\n\n".utf8))
                        // Another program may change the store all the time.
                        await Self.wait(for: .milliseconds(250))
                    }
                }
                group.addTask {
                    let end = ContinuousClock.now + Self.life
                    while .now < end, await Self.wait(for: Self.silence) { line.yield(Data(":\n\n".utf8)) }
                }
                await group.next()
                group.cancelAll()
            }
            line.finish()
        }
        line.onTermination = { _ in task.cancel() }
        return try HTTPResponse(contentType: "text/event-stream", body: HTTPBody(lines))
    }

    /// Ends all streams, and refuses further ones, so that a listener need not wait for them when it stops.
    public func end() {
        let streams = state.withLock { state in
            state.isEnding = true
            return state.streams.values
        }
        for stream in streams { stream.finish() }
    }

    /// Returns whether a time has passed without the task being cancelled.
    @discardableResult
    private static func wait(for time: Duration) async -> Bool {
        (try? await Task.sleep(for: time)) != nil
    }

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

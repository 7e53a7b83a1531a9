/// The script of all pages, which work without it: they show changes as they happen, and answer some keys.
enum Script {
    static let text = """
        "use strict";
        const main = document.getElementById("main");
        let isEdited = false;
        document.addEventListener("input", (event) => { if (event.target.form?.method === "post") isEdited = true; });

        // The page is read again, unless something was typed: then a note says so.
        async function refresh() {
          if (isEdited || main.contains(document.activeElement) && document.activeElement.matches("input, textarea, select")) {
            document.getElementById("news").hidden = false;
            return;
          }
          const response = await fetch(location.href, { headers: { "X-Requested-With": "refresh" } });
          if (!response.ok) return;
          const page = new DOMParser().parseFromString(await response.text(), "text/html");
          const fresh = page.getElementById("main");
          if (!fresh || fresh.innerHTML === main.innerHTML) return;
          const opened = [...main.querySelectorAll("details")].map((details) => details.open);
          main.replaceChildren(...fresh.childNodes);
          main.querySelectorAll("details").forEach((details, index) => { if (opened[index]) details.open = true; });
        }
        if (main?.dataset.events) {
          let isFirst = true;
          let timer;
          const events = new EventSource(main.dataset.events);
          events.onmessage = () => {
            // The first event says that the stream has begun.
            if (isFirst) { isFirst = false; return; }
            clearTimeout(timer);
            timer = setTimeout(refresh, 100);
          };
          addEventListener("pagehide", () => events.close());
        }

        document.addEventListener("keydown", (event) => {
          if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches("input, textarea, select")) return;
          const filter = document.querySelector("input[name=filter]");
          if (event.key === "/" && filter) { event.preventDefault(); filter.focus(); }
          const rows = [...document.querySelectorAll("tbody th a, tbody td:first-child a")];
          const step = { j: 1, k: -1 }[event.key];
          if (step && rows.length) {
            const next = rows.indexOf(document.activeElement) + step;
            rows[Math.max(0, Math.min(rows.length - 1, next))].focus();
          }
        });

        """
}

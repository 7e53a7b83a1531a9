import CabinetServer

/// The script of all pages, which work without it: they show changes as they happen, and answer some keys.
enum Script {
    static let text =
        PageEvents.script + """
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

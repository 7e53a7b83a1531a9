import CabinetServer

/// The script of all pages, which work without it: they show changes as they happen, and answer some keys.
enum Script {
    static let text =
        PageEvents.script + """
            // Suggests the next word of a filter: a field, an operator, or AND and OR.
            document.addEventListener("input", ({ target }) => {
              if (target.getAttribute("list") !== "words") return;
              const fields = [...document.querySelectorAll("#fields option")].map((option) => option.value);
              const operators = ["==", "!=", "<", "<=", ">", ">=", "BEGINSWITH", "CONTAINS", "ENDSWITH", "LIKE", "MATCHES", "IN", "BETWEEN"];
              const [, start, last] = target.value.match(/^(.*?)(\\S*)$/s);
              const before = start.trimEnd().split(/[\\s(]+/).at(-1);
              const isValue = before && !["AND", "OR", "NOT"].includes(before.toUpperCase());
              const next = fields.includes(before) ? operators : operators.includes(before) ? [] : isValue ? ["AND", "OR"] : fields;
              const words = next.filter((word) => word.toLowerCase().startsWith(last.toLowerCase()));
              document.getElementById("words").replaceChildren(...words.map((word) => new Option("", `${start}${word} `)));
            });

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

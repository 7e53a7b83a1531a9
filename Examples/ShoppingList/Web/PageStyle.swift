/// The style of all pages, light and dark.
enum PageStyle {
    static let text = """
        :root { color-scheme: light dark; --page: #fff; --raised: #f4f5f2; --line: #d6dad0; --text: #1c201a; --soft: #5a6156; --main: #2c6e49;
          --on-main: #fff; --danger: #b3261e; font: 1.0625rem/1.5 system-ui, sans-serif; }
        @media (prefers-color-scheme: dark) { :root { --page: #161916; --raised: #20241f; --line: #3a4038; --text: #e9ece6; --soft: #a7afa2;
          --main: #8fd3ab; --on-main: #10351f; --danger: #ff8a80; } }
        * { box-sizing: border-box; }
        body { margin: 0; background: var(--page); color: var(--text); }
        main { max-width: 36rem; margin: 0 auto; padding: 2rem 1.25rem; overflow-wrap: anywhere; }
        h1 { font-size: 1.75rem; line-height: 1.2; margin: 0 0 1.25rem; } p { margin: 0 0 1rem; } small, .empty { color: var(--soft); }
        a { color: var(--main); text-underline-offset: .2em; }
        ul { list-style: none; padding: 0; margin: 0 0 1.25rem; border: 1px solid var(--line); border-radius: .75rem; overflow: hidden; }
        li { display: flex; align-items: center; justify-content: space-between; gap: 1rem; padding: .5rem 1rem; }
        li + li { border-top: 1px solid var(--line); } .lists li { padding: 0; } .lists a { flex: 1; padding: .75rem 1rem; text-decoration: none; }
        .lists small { padding-right: 1rem; } .lists a:hover { background: var(--raised); }
        .items form { display: flex; align-items: center; gap: .25rem; white-space: nowrap; } output { min-width: 2rem; text-align: center; font-variant-numeric: tabular-nums; }
        .add { display: flex; gap: .5rem; margin-bottom: 2rem; } .add input[name=name] { flex: 1; min-width: 0; } input[type=number] { width: 5rem; }
        input { font: inherit; color: var(--text); background: var(--page); border: 1px solid var(--soft); border-radius: .5rem; padding: .5rem .75rem; }
        button { font: inherit; font-weight: 600; min-width: 2.25rem; padding: .375rem .625rem; color: var(--text); background: var(--raised); border: 1px solid var(--line);
          border-radius: .5rem; cursor: pointer; } button:disabled { opacity: .4; cursor: default; }
        .add button, form > button[value=delete-list] { color: var(--on-main); background: var(--main); border-color: var(--main); padding-inline: 1rem; }
        form > button[value=delete-list] { color: #fff; background: #b3261e; border-color: #b3261e; margin-right: .75rem; }
        .failure { border-left: .25rem solid var(--danger); padding-left: .75rem; white-space: pre-wrap; }
        #news { position: fixed; inset: auto 1rem 0 auto; background: var(--raised); border: 1px solid var(--line); border-radius: .5rem; padding: .5rem 1rem; }
        #news[hidden] { display: none; }
        :focus-visible { outline: .1875rem solid #5e8bff; outline-offset: .125rem; }

        """

    static let icon = """
        <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect x="4" y="3" width="24" height="26" rx="4" fill="#2c6e49"/>\
        <path d="m9 11 2 2 3-4m3 2h7M9 21l2 2 3-4m3 2h7" fill="none" stroke="#fff" stroke-width="2"/></svg>
        """
}
